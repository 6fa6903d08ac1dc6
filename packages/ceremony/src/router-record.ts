import { sha256 } from '@noble/hashes/sha2.js';
import { type Infer, LIMITS, type Settings, schema, toHex, utf8 } from '@streaming-yao/core';
import { Authority, CeremonyAnswer, Core, PROTOCOL, SignedAuthority } from '@streaming-yao/wire';
import type { RecordName } from './operator.ts';
import type { Transaction } from './program.ts';

/** A ceremony at the Router: its one grant, and the answer once there is one. */
const CeremonyRecord = schema.message(`${PROTOCOL} router-ceremony`, {
  core: Core.codec,
  grant: schema.text(/./, 4096),
  answer: schema.optional(CeremonyAnswer.codec),
  /** Code of the error that ended the last attempt. */
  failure: schema.optional(schema.text(/./, 64)),
});
export type CeremonyRecord = Infer<typeof CeremonyRecord.codec>;

export function readCeremony(tx: Transaction, ceremonyId: Uint8Array): CeremonyRecord | undefined {
  const stored = tx.get('ceremony', toHex(ceremonyId));
  return stored && CeremonyRecord.decode(stored);
}

export function writeCeremony(tx: Transaction, { retentionMs }: Settings, ceremonyId: Uint8Array, record: CeremonyRecord): void {
  tx.put('ceremony', toHex(ceremonyId), CeremonyRecord.encode(record), record.core.expiresAtMs + retentionMs);
}

export function forgetCeremony(tx: Transaction, ceremonyId: Uint8Array): void {
  tx.delete('ceremony', toHex(ceremonyId));
}

/** The ceremonies of a wallet; there are few, and they live for minutes. */
export function ceremoniesOf(tx: Transaction, walletId: string, limit: number): readonly RecordName[] {
  return tx
    .list('ceremony', '', limit)
    .filter(({ value }) => CeremonyRecord.decode(value).core.walletId === walletId)
    .map(({ key }) => ({ table: 'ceremony', key }));
}

/** The wallet's authority since its first activation. */
export function readAuthority(tx: Transaction, walletId: string): Authority | undefined {
  const stored = tx.get('authority', walletId);
  return stored && Authority.decode(stored);
}

export function writeAuthority(tx: Transaction, walletId: string, authority: Authority): void {
  tx.put('authority', walletId, Authority.encode(authority));
}

const noticeName = (walletId: string, activation: string): string => `${walletId}/${toHex(sha256(utf8(activation)))}`;

/** Activations that the Derivers have still to hear of. */
export function readNotices(tx: Transaction, walletId: string): readonly string[] {
  const notices = tx.list('notice', `${walletId}/`, LIMITS.keysPerWallet);
  return notices.map(({ value }) => new TextDecoder().decode(value));
}

export function noteActivation(tx: Transaction, walletId: string, activation: string): void {
  tx.put('notice', noticeName(walletId, activation), utf8(activation));
}

export function forgetNotice(tx: Transaction, walletId: string, activation: string): void {
  tx.delete('notice', noticeName(walletId, activation));
}

/** The change of a wallet's credentials that is under way. */
export function readChange(tx: Transaction, walletId: string): SignedAuthority | undefined {
  const stored = tx.get('authority-change', walletId);
  return stored && SignedAuthority.decode(stored);
}

export function noteChange(tx: Transaction, update: SignedAuthority): void {
  tx.put('authority-change', update.authority.walletId, SignedAuthority.encode(update));
}

export function forgetChange(tx: Transaction, walletId: string): void {
  tx.delete('authority-change', walletId);
}
