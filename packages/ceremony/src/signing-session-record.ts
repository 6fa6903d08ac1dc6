import { equalBytes, type Infer, LIMITS, schema, toHex } from '@streaming-yao/core';
import { type Authority, idOfCredential, type LaneName, messageKinds, PROTOCOL } from '@streaming-yao/wire';
import type { Transaction } from './program.ts';
import { dropStagedExcept, laneKeyOf, writeAuthority } from './signing-worker-record.ts';

export const SESSION_TABLE = 'signing-session';

const SessionRecord = schema.message(`${PROTOCOL} signing-session-record`, {
  epoch: schema.u32,
  /** Which credential approved of it. */
  credentialId: schema.bytes(16),
  uses: schema.u32,
  /** Written off before they are made: what an object has on hand when it dies is lost with it, and nothing comes back. */
  leased: schema.u32,
  kinds: messageKinds,
  expiresAtMs: schema.timeMs,
  /** Kept until it would have expired, so that its statement opens it no second time. */
  closed: schema.boolean,
});
export type SessionRecord = Infer<typeof SessionRecord.codec>;

type LaneOfWallet = Pick<LaneName, 'keyIndex' | 'lane'>;

/** Names a session among a wallet's, in storage and in memory. */
export const sessionName = (lane: LaneOfWallet, sessionId: Uint8Array): string => `${laneKeyOf(lane)}/${toHex(sessionId)}`;

export const lanePrefix = (lane: LaneOfWallet): string => `${laneKeyOf(lane)}/`;

export function readSession(tx: Transaction, name: string): SessionRecord | undefined {
  const stored = tx.get(SESSION_TABLE, name);
  return stored && SessionRecord.decode(stored);
}

/** @param retentionMs how long it outlives its expiry, for clocks that are set back */
export function writeSession(tx: Transaction, name: string, record: SessionRecord, retentionMs: number): void {
  tx.put(SESSION_TABLE, name, SessionRecord.encode(record), record.expiresAtMs + retentionMs);
}

/** Every session of a lane, those included that were closed. */
export function sessionsOf(
  tx: Transaction,
  lane: LaneOfWallet,
): readonly { readonly name: string; readonly record: SessionRecord }[] {
  return tx
    .list(SESSION_TABLE, lanePrefix(lane), LIMITS.signingSessionsPerLane)
    .map(({ key, value }) => ({ name: key, record: SessionRecord.decode(value) }));
}

/** Sessions are of an epoch: they end with it. */
export function endSessions(tx: Transaction, lane: LaneOfWallet): void {
  for (const { name } of sessionsOf(tx, lane)) tx.delete(SESSION_TABLE, name);
}

const MOST_SESSIONS = LIMITS.keysPerWallet * LIMITS.lanesPerKey * LIMITS.signingSessionsPerLane;

/** Makes an authority the wallet's, and ends what a credential has approved of that is none of the wallet's any more. */
export function takeAuthority(tx: Transaction, authority: Authority): void {
  writeAuthority(tx, authority);
  const ids = authority.credentials.map(idOfCredential);
  for (const { key, value } of tx.list(SESSION_TABLE, '', MOST_SESSIONS)) {
    const { credentialId } = SessionRecord.decode(value);
    if (!ids.some((id) => equalBytes(id, credentialId))) tx.delete(SESSION_TABLE, key);
  }
  dropStagedExcept(tx, ids);
}
