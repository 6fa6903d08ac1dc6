import { equalBytes, type Infer, LIMITS, schema, toHex, YaoError } from '@streaming-yao/core';
import { Authority, type Core, DeriverAnswer, type DeriverRole, PROTOCOL, Receipt } from '@streaming-yao/wire';
import { isSameAuthority } from './authorization.ts';
import { ALL_RECORDS, type RecordName, recordsAt, recordsUnder, type WalletRecords } from './operator.ts';
import type { Transaction } from './program.ts';
import type { DeriverSurroundings } from './role.ts';

const point = schema.bytes(32);

/** What a Deriver remembers of one key. docs/protocol.md section 3. */
const KeyRecord = schema.message(`${PROTOCOL} key-record`, {
  /** An earlier version kept here as `pending` what a registration had come to, until it was activated. */
  state: schema.oneOf('pending', 'active'),
  publicKey: point,
  /** (seed mod L)*G */
  seedCommitment: point,
  rootVersion: schema.u32,
  /** Lowest epoch that each lane may still be refreshed from. */
  floors: schema.list(schema.struct({ lane: schema.u32, epoch: schema.u32 }), 0, LIMITS.lanesPerKey),
});
export type KeyRecord = Infer<typeof KeyRecord.codec>;

const AuthorityRecord = schema.message(`${PROTOCOL} authority-record`, {
  authority: Authority.codec,
  /** An earlier version kept here what a pending registration had brought. */
  established: schema.boolean,
});

/** What a `register` has come to, until the SigningWorker has said of one of a key's registrations that it lives. */
const PendingKey = schema.message(`${PROTOCOL} pending-key`, {
  publicKey: point,
  seedCommitment: point,
  /** The wallet's, if this registration is the one that lives and the wallet has none by then. */
  authority: Authority.codec,
});
type PendingKey = Infer<typeof PendingKey.codec>;

export const CeremonyRecord = schema.message(`${PROTOCOL} ceremony-record`, {
  state: schema.oneOf('running', 'completed', 'burned'),
  answer: schema.optional(DeriverAnswer.codec),
});
export type CeremonyRecord = Infer<typeof CeremonyRecord.codec>;

type KeyName = Pick<Core, 'walletId' | 'keyIndex'>;
const keyName = ({ walletId, keyIndex }: KeyName): string => `${walletId}/${keyIndex}`;

export function readKey(tx: Transaction, key: KeyName): KeyRecord | undefined {
  const stored = tx.get('key', keyName(key));
  return stored && KeyRecord.decode(stored);
}

export function writeKey(tx: Transaction, key: KeyName, record: KeyRecord): void {
  tx.put('key', keyName(key), KeyRecord.encode(record));
}

const pendingName = (key: KeyName, ceremonyId: Uint8Array): string => `${keyName(key)}/${toHex(ceremonyId)}`;
const pendingOf = (tx: Transaction, walletId: string) => tx.list('pending-key', `${walletId}/`, LIMITS.pendingKeys);

/**
 * Keeps what a registration has come to. None replaces another, since any of them may be the one that the SigningWorker activates.
 * @throws YaoError `busy`
 */
export function notePending(tx: Transaction, key: KeyName, ceremonyId: Uint8Array, pending: PendingKey): void {
  if (pendingOf(tx, key.walletId).length === LIMITS.pendingKeys) {
    const came = `${LIMITS.pendingKeys} registrations of this wallet came to nothing`;
    throw new YaoError('busy', `${came}; ask its operator to delete it`, { party: 'client' });
  }
  tx.put('pending-key', pendingName(key, ceremonyId), PendingKey.encode(pending));
}

/**
 * Makes the key of a registration the wallet's, and its authority where the wallet has none. The key's other registrations end, and
 * with a first authority those that brought another one.
 * @throws YaoError `key_mismatch` when the registration was not derived here
 */
export function establishKey(tx: Transaction, key: KeyName, ceremonyId: Uint8Array, publicKey: Uint8Array): void {
  const known = readKey(tx, key);
  const registered = known?.state === 'active' ? known : (readPending(tx, key, ceremonyId) ?? elderPending(tx, key, known));
  if (!registered || !equalBytes(registered.publicKey, publicKey)) {
    throw new YaoError('key_mismatch', 'the activation is of another key than the one derived here', { party: 'router' });
  }
  if (!('authority' in registered)) return;
  const { seedCommitment, authority } = registered;
  writeKey(tx, key, { state: 'active', publicKey, seedCommitment, rootVersion: 1, floors: [] });
  const founds = !readAuthority(tx, key.walletId);
  if (founds) writeAuthority(tx, authority);
  for (const { key: name, value } of pendingOf(tx, key.walletId)) {
    const isRival = founds && !isSameAuthority(PendingKey.decode(value).authority, authority);
    if (isRival || name.startsWith(`${keyName(key)}/`)) tx.delete('pending-key', name);
  }
}

function readPending(tx: Transaction, key: KeyName, ceremonyId: Uint8Array): PendingKey | undefined {
  const stored = tx.get('pending-key', pendingName(key, ceremonyId));
  return stored && PendingKey.decode(stored);
}

/** What an earlier version left of a registration that it never heard of again. */
function elderPending(tx: Transaction, { walletId }: KeyName, known: KeyRecord | undefined): PendingKey | undefined {
  const stored = tx.get('authority', walletId);
  return known && stored && { ...known, authority: AuthorityRecord.decode(stored).authority };
}

/** The authority that binds this wallet: from the first activation on only a signed successor replaces it. */
export function readAuthority(tx: Transaction, walletId: string): Authority | undefined {
  const stored = tx.get('authority', walletId);
  return stored && decodeAuthority(stored);
}

/** @returns `undefined` for one that binds nobody yet */
export function decodeAuthority(stored: Uint8Array): Authority | undefined {
  const { established, authority } = AuthorityRecord.decode(stored);
  return established ? authority : undefined;
}

export function writeAuthority(tx: Transaction, authority: Authority): void {
  tx.put('authority', authority.walletId, AuthorityRecord.encode({ authority, established: true }));
}

export function readCeremony(tx: Transaction, ceremonyId: Uint8Array): CeremonyRecord | undefined {
  const stored = tx.get('ceremony', toHex(ceremonyId));
  return stored && CeremonyRecord.decode(stored);
}

/** What a Deriver has of a wallet; a ceremony without an answer says nothing of its wallet. */
function recordsOf(tx: Transaction, walletId: string): readonly RecordName[] {
  const ceremonies = tx.list('ceremony', '', ALL_RECORDS).filter(({ value }) => {
    const { answer } = CeremonyRecord.decode(value);
    return answer && Receipt.decode(answer.receipt).core.walletId === walletId;
  });
  return [
    ...recordsAt(tx, ['authority'], walletId),
    ...recordsUnder(tx, ['key', 'pending-key'], `${walletId}/`),
    ...ceremonies.map(({ key }) => ({ table: 'ceremony', key })),
  ];
}

export const walletRecords = (role: DeriverRole): WalletRecords<DeriverSurroundings> => ({ role, find: recordsOf });

/**
 * A record outlives every moment at which its request could be accepted, so a ceremony whose record is gone cannot run again.
 */
export function writeCeremony(tx: Transaction, ceremonyId: Uint8Array, record: CeremonyRecord, deleteAtMs: number): void {
  tx.put('ceremony', toHex(ceremonyId), CeremonyRecord.encode(record), deleteAtMs);
}

/**
 * Checks a request against the key on record.
 * @throws YaoError `key_exists`, `unknown_wallet`, `key_mismatch`, `epoch_mismatch`
 */
export function checkKey(core: Core, record: KeyRecord | undefined): void {
  if (core.operation === 'register') {
    if (record?.state === 'active') {
      throw new YaoError(
        'key_exists',
        `key ${core.keyIndex} of this wallet is registered; recover it, or use another key index`,
        { party: 'client' },
      );
    }
    return;
  }
  if (!record)
    throw new YaoError('unknown_wallet', `this wallet has no key ${core.keyIndex}; register it first`, { party: 'client' });
  if (!core.registeredKey || !equalBytes(core.registeredKey, record.publicKey)) {
    throw new YaoError('key_mismatch', 'the request names another public key than the registered one', { party: 'client' });
  }
  const floor = record.floors.find(({ lane }) => lane === core.lane)?.epoch ?? 0;
  if (core.expectedEpoch < floor) {
    throw new YaoError(
      'epoch_mismatch',
      `lane ${core.lane} has passed epoch ${core.expectedEpoch}; fetch its state and try again`,
      { party: 'client' },
    );
  }
}

/**
 * The record with the floor of the core's lane at the epoch that the request proceeds from. A new lane has none yet. Lane numbers
 * only rise and few lanes live at once, so the floors of the lowest numbers are of lanes that are over.
 */
export function raiseFloor(record: KeyRecord, core: Core): KeyRecord {
  if (core.operation === 'export') return record;
  const others = record.floors.filter(({ lane }) => lane !== core.lane);
  const raised = core.expectedEpoch > 0 ? [...others, { lane: core.lane, epoch: core.expectedEpoch }] : others;
  const floors = raised.toSorted((left, right) => left.lane - right.lane).slice(-LIMITS.lanesPerKey);
  return { ...record, state: 'active', floors };
}
