import { equalBytes, type Infer, LIMITS, ofThisVersion, schema, toHex, utf8, YaoError } from '@streaming-yao/core';
import { Authority, type Core, type LaneName, PROTOCOL } from '@streaming-yao/wire';
import { credentialOf } from './credential-proof.ts';
import { type Program, type Transaction, transact } from './program.ts';

const point = schema.bytes(32);

const KeyRecord = schema.message(`${PROTOCOL} signing-key`, {
  publicKey: point,
  /** Lanes are numbered once and never again: a number below this one without a lane is a retired lane. */
  nextLane: schema.u32,
});
type KeyRecord = Infer<typeof KeyRecord.codec>;

/** One epoch of one lane. The share itself lies sealed in the vault; all here is public. */
const LaneRecord = schema.message(`${PROTOCOL} lane`, {
  epoch: schema.u32,
  ceremonyId: schema.bytes(32),
  publicKey: point,
  /** Commitments to the client's and the own share; their sum is the public key. */
  clientShare: point,
  serverShare: point,
  /** Signs the lane's requests. */
  laneKey: point,
  /** Whether its activation retires every other lane of the key. */
  retireOtherLanes: schema.boolean,
  activatedAtMs: schema.timeMs,
});
export type LaneRecord = Infer<typeof LaneRecord.codec>;

/** A lane's next epoch, while it waits for its device. */
const StagedLane = schema.message(`${PROTOCOL} staged-lane`, {
  lane: LaneRecord.codec,
  /** Id of the credential that authorized its ceremony. */
  approvedBy: schema.bytes(16),
});
type StagedLane = Infer<typeof StagedLane.codec>;

/** @returns `undefined` for a record of an earlier version: its share is taken for expired, and its device begins anew */
const decodeStaged = (record: Uint8Array): StagedLane | undefined => ofThisVersion(() => StagedLane.decode(record));

/** The table of active lanes, and that of new shares which wait for their device to confirm. */
export type LaneTable = 'lane' | 'staged';

/** What the devices of active lanes are called. */
export const NAME_TABLE = 'lane-name';

type LaneOfWallet = Pick<LaneName, 'keyIndex' | 'lane'>;

export const laneKeyOf = ({ keyIndex, lane }: LaneOfWallet): string => `${keyIndex}/${lane}`;

/** A sealed share's place in the vault. */
export interface Slot {
  readonly slot: string;
  /** Hex of the ceremony that made the share. */
  readonly tag: string;
}

/**
 * Two slots a lane: the new share is written beside the old one, and the old one's slot is erased whole, because deleting a row
 * would leave its bytes in the database's log. The tag keeps a late erasure from hitting a slot's next tenant.
 */
export function slotOf(
  { walletId, keyIndex, lane }: LaneName,
  { epoch, ceremonyId }: Pick<LaneRecord, 'epoch' | 'ceremonyId'>,
): Slot {
  return { slot: `${walletId}/${keyIndex}/${lane}/${epoch % 2}`, tag: toHex(ceremonyId) };
}

/** Additional data of a sealed share: where it belongs, so that it opens nowhere else. */
export function shareContext(
  { walletId, keyIndex, lane }: LaneName,
  { epoch, ceremonyId }: Pick<LaneRecord, 'epoch' | 'ceremonyId'>,
): Uint8Array {
  return utf8(`${PROTOCOL} share ${walletId}/${keyIndex}/${lane}/${epoch}/${toHex(ceremonyId)}`);
}

export function readAuthority(tx: Transaction): Authority | undefined {
  const stored = tx.get('authority', '');
  return stored && Authority.decode(stored);
}

/** @throws YaoError `unknown_wallet` */
export function* recordedAuthority(walletId: string): Program<Authority> {
  return yield* transact((tx) => requiredAuthority(tx, walletId));
}

function requiredAuthority(tx: Transaction, walletId: string): Authority {
  const authority = readAuthority(tx);
  if (!authority) throw refused('unknown_wallet', `no wallet ${walletId} is registered here`);
  return authority;
}

/**
 * In the transaction that does what a credential has approved of: it may have been removed since the proof was checked.
 * @throws YaoError `authorization_invalid`, `unknown_wallet`
 */
export function checkStillMember(tx: Transaction, walletId: string, credentialId: Uint8Array): void {
  credentialOf(requiredAuthority(tx, walletId), credentialId);
}

export function writeAuthority(tx: Transaction, authority: Authority): void {
  tx.put('authority', '', Authority.encode(authority));
}

export function readKey(tx: Transaction, keyIndex: number): KeyRecord | undefined {
  const stored = tx.get('key', String(keyIndex));
  return stored && KeyRecord.decode(stored);
}

export function writeKey(tx: Transaction, keyIndex: number, record: KeyRecord): void {
  tx.put('key', String(keyIndex), KeyRecord.encode(record));
}

export function keyIndexesOf(tx: Transaction): readonly number[] {
  return tx.list('key', '', LIMITS.keysPerWallet).map(({ key }) => Number(key));
}

export function readLane(tx: Transaction, table: LaneTable, lane: LaneOfWallet): LaneRecord | undefined {
  const stored = tx.get(table, laneKeyOf(lane));
  if (!stored) return undefined;
  return table === 'staged' ? decodeStaged(stored)?.lane : LaneRecord.decode(stored);
}

export function writeLane(tx: Transaction, lane: LaneOfWallet, record: LaneRecord): void {
  tx.put('lane', laneKeyOf(lane), LaneRecord.encode(record));
}

export function stageLane(tx: Transaction, lane: LaneOfWallet, staged: StagedLane, deleteAtMs: number): void {
  tx.put('staged', laneKeyOf(lane), StagedLane.encode(staged), deleteAtMs);
}

/** Its number never comes back. */
export function endLane(tx: Transaction, lane: LaneOfWallet): void {
  tx.delete('lane', laneKeyOf(lane));
  tx.delete(NAME_TABLE, laneKeyOf(lane));
}

/** The active lanes of a key. */
export function lanesOf(tx: Transaction, keyIndex: number): readonly { readonly lane: number; readonly record: LaneRecord }[] {
  return tx
    .list('lane', `${keyIndex}/`, LIMITS.lanesPerKey)
    .map(({ key, value }) => ({ lane: Number(key.slice(key.indexOf('/') + 1)), record: LaneRecord.decode(value) }));
}

/** The activation statements that a ceremony led to, for redelivery: one when staged, one when active. */
export function readActivation(tx: Transaction, ceremonyId: Uint8Array, state: 'staged' | 'active'): string | undefined {
  const stored = tx.get('activation', `${toHex(ceremonyId)}/${state}`);
  return stored && new TextDecoder().decode(stored);
}

export function writeActivation(
  tx: Transaction,
  ceremonyId: Uint8Array,
  state: 'staged' | 'active',
  statement: string,
  deleteAtMs: number,
): void {
  tx.put('activation', `${toHex(ceremonyId)}/${state}`, utf8(statement), deleteAtMs);
}

/** Notes a share before the vault has it, until the vault has erased it: no crash leaves one there that nobody knows of. */
export function noteShare(tx: Transaction, { slot, tag }: Slot): void {
  tx.put('share', `${slot} ${tag}`, new Uint8Array());
}

/** Shares of lanes, active and waiting; one more of each lane may wait for its erasure. */
const MOST_SHARES = 3 * LIMITS.keysPerWallet * LIMITS.lanesPerKey;

/** Every share of the wallet that the vault may have. */
export function allShares(tx: Transaction): readonly Slot[] {
  return tx.list('share', '', MOST_SHARES).map(({ key }) => {
    const [slot = '', tag = ''] = key.split(' ');
    return { slot, tag };
  });
}

/** Every lane of the wallet, active or waiting. */
export function allLanes(tx: Transaction): readonly LaneOfWallet[] {
  const keys = (['lane', 'staged'] as const).flatMap((table) => tx.list(table, '', MOST_SHARES).map(({ key }) => key));
  return [...new Set(keys)].map((key) => {
    const [keyIndex, lane] = key.split('/').map(Number);
    return { keyIndex: keyIndex as number, lane: lane as number };
  });
}

/** Shares that no lane has any more: replaced, retired, revoked, or never confirmed in time. */
export function endedShares(tx: Transaction): readonly Slot[] {
  return allShares(tx).filter(({ slot, tag }) => {
    const [, keyIndex, lane] = slot.split('/').map(Number);
    const name = { keyIndex: keyIndex as number, lane: lane as number };
    return ![readLane(tx, 'lane', name), readLane(tx, 'staged', name)].some(
      (record) => record && toHex(record.ceremonyId) === tag,
    );
  });
}

export function forgetShare(tx: Transaction, { slot, tag }: Slot): void {
  tx.delete('share', `${slot} ${tag}`);
}

/** Nothing that waits for a device's confirmation replaces or revives what ends now. */
export function dropStaged(tx: Transaction, keyIndex: number): void {
  for (const { key } of tx.list('staged', `${keyIndex}/`, LIMITS.lanesPerKey)) tx.delete('staged', key);
}

/** Nor does what a credential has approved of that is none of the wallet's any more. */
export function dropStagedExcept(tx: Transaction, credentialIds: readonly Uint8Array[]): void {
  for (const { key, value } of tx.list('staged', '', MOST_SHARES)) {
    const staged = decodeStaged(value);
    const stands = staged && credentialIds.some((id) => equalBytes(id, staged.approvedBy));
    if (!stands) tx.delete('staged', key);
  }
}

/**
 * Whether the core's new share may take its place now.
 * @throws YaoError `key_exists`, `unknown_wallet`, `key_mismatch`, `lane_unknown`, `epoch_retired`, `epoch_mismatch`, `epoch_conflict`, `busy`
 */
export function checkPlace(tx: Transaction, core: Core, ceremonyId: Uint8Array): void {
  const key = readKey(tx, core.keyIndex);
  if (core.operation === 'register') {
    if (key)
      throw refused('key_exists', `key ${core.keyIndex} of this wallet is registered; recover it, or use another key index`);
    if (tx.list('key', '', LIMITS.keysPerWallet).length === LIMITS.keysPerWallet) {
      throw refused('busy', `a wallet has at most ${LIMITS.keysPerWallet} keys`);
    }
    checkAlone(tx, core, ceremonyId);
    return;
  }
  if (!key) throw refused('unknown_wallet', `this wallet has no key ${core.keyIndex}; register it first`);
  if (core.registeredKey === null || toHex(core.registeredKey) !== toHex(key.publicKey)) {
    throw refused('key_mismatch', 'the request names another public key than the registered one');
  }
  checkEpoch(tx, core, key);
  checkAlone(tx, core, ceremonyId);
}

function checkAlone(tx: Transaction, core: Core, ceremonyId: Uint8Array): void {
  const staged = readLane(tx, 'staged', core);
  if (staged && toHex(staged.ceremonyId) !== toHex(ceremonyId)) {
    throw refused(
      'epoch_conflict',
      `another operation on lane ${core.lane} is waiting for its device; try again when it is done or has expired`,
    );
  }
}

/** Between staging a share and answering for it, its place may have been lost. @throws YaoError `epoch_conflict` */
export function checkWaiting(tx: Transaction, core: Core, ceremonyId: Uint8Array): void {
  const staged = readLane(tx, 'staged', core);
  if (!staged || toHex(staged.ceremonyId) !== toHex(ceremonyId)) {
    throw refused('epoch_conflict', `the new share of lane ${core.lane} lost its place; try again`);
  }
}

function checkEpoch(tx: Transaction, core: Core, key: KeyRecord): void {
  const lane = readLane(tx, 'lane', core);
  if (core.operation === 'refresh') {
    if (!lane) throw missingLane(core, key);
    if (lane.epoch !== core.expectedEpoch)
      throw refused('epoch_mismatch', `lane ${core.lane} stands at epoch ${lane.epoch}, not ${core.expectedEpoch}`);
    return;
  }
  if (core.expectedEpoch !== 0) throw refused('epoch_mismatch', 'a new lane begins at epoch 0');
  if (core.lane !== key.nextLane)
    throw refused('epoch_conflict', `the next lane of this key is ${key.nextLane}; fetch its lanes and try again`);
  if (!core.retireOtherLanes && lanesOf(tx, core.keyIndex).length === LIMITS.lanesPerKey) {
    throw refused('busy', `a key has at most ${LIMITS.lanesPerKey} lanes; revoke one first`);
  }
}

/** Tells a lane that never was from one that is over. */
export function missingLane({ lane }: { readonly lane: number }, key: KeyRecord | undefined): YaoError {
  return key && lane < key.nextLane
    ? refused('epoch_retired', `lane ${lane} was retired; link this device again, or recover`)
    : refused('lane_unknown', `this key has no lane ${lane}`);
}

function refused(
  code:
    | 'key_exists'
    | 'busy'
    | 'unknown_wallet'
    | 'key_mismatch'
    | 'epoch_mismatch'
    | 'epoch_conflict'
    | 'epoch_retired'
    | 'lane_unknown',
  text: string,
): YaoError {
  return new YaoError(code, text, { party: 'client' });
}
