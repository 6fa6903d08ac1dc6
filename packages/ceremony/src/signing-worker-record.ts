import { type Infer, LIMITS, schema, toHex, utf8, YaoError } from '@streaming-yao/core';
import { Authority, type Core, PROTOCOL } from '@streaming-yao/wire';
import type { Transaction } from './program.ts';

const point = schema.bytes(32);

const KeyRecord = schema.message(`${PROTOCOL} signing-key`, { publicKey: point });

/** One epoch of one lane at the SigningWorker. The share is sealed; all else is public. */
const LaneRecord = schema.message(`${PROTOCOL} lane`, {
  epoch: schema.u32,
  ceremonyId: schema.bytes(32),
  publicKey: point,
  /** Commitments to the client's and the own share; their sum is the public key. */
  clientShare: point,
  serverShare: point,
  /** Signs the lane's requests. */
  laneKey: point,
  sealedShare: schema.bytesBetween(32, 128),
});
export type LaneRecord = Infer<typeof LaneRecord.codec>;

export interface LaneName {
  readonly walletId: string;
  readonly keyIndex: number;
  readonly lane: number;
}

export const laneName = ({ keyIndex, lane }: Pick<LaneName, 'keyIndex' | 'lane'>): string => `${keyIndex}/${lane}`;

/** Additional data of a sealed share: where it belongs, so that it opens nowhere else. */
export function shareContext({ walletId, keyIndex, lane }: LaneName, epoch: number): Uint8Array {
  return utf8(`${PROTOCOL} share ${walletId}/${keyIndex}/${lane}/${epoch}`);
}

export function readAuthority(tx: Transaction): Authority | undefined {
  const stored = tx.get('authority', '');
  return stored && Authority.decode(stored);
}

export function writeAuthority(tx: Transaction, authority: Authority): void {
  tx.put('authority', '', Authority.encode(authority));
}

export function readPublicKey(tx: Transaction, keyIndex: number): Uint8Array | undefined {
  const stored = tx.get('key', String(keyIndex));
  return stored && KeyRecord.decode(stored).publicKey;
}

export function writePublicKey(tx: Transaction, keyIndex: number, publicKey: Uint8Array): void {
  tx.put('key', String(keyIndex), KeyRecord.encode({ publicKey }));
}

export function readLane(tx: Transaction, name: Pick<LaneName, 'keyIndex' | 'lane'>): LaneRecord | undefined {
  const stored = tx.get('lane', laneName(name));
  return stored && LaneRecord.decode(stored);
}

export function writeLane(tx: Transaction, name: Pick<LaneName, 'keyIndex' | 'lane'>, lane: LaneRecord): void {
  tx.put('lane', laneName(name), LaneRecord.encode(lane));
}

/** The activation that this ceremony led to, for redelivery. */
export function readActivation(tx: Transaction, ceremonyId: Uint8Array): string | undefined {
  const stored = tx.get('activation', toHex(ceremonyId));
  return stored && new TextDecoder().decode(stored);
}

export function writeActivation(tx: Transaction, ceremonyId: Uint8Array, core: Core, activation: string): void {
  tx.put('activation', toHex(ceremonyId), utf8(activation), core.expiresAtMs + 2 * LIMITS.clockSkewMs);
}

/** @throws YaoError `key_exists` */
export function checkRegistrable(tx: Transaction, core: Core): void {
  if (readPublicKey(tx, core.keyIndex)) {
    throw new YaoError('key_exists', `key ${core.keyIndex} of this wallet is registered; recover it, or use another key index`, {
      party: 'client',
    });
  }
}
