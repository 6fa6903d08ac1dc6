import type { SecretBytes } from '@streaming-yao/core';
import type { CredentialProof } from '@streaming-yao/wire';
import type { AuditEvent, NumberedEvent } from './role.ts';

/**
 * A role's part in a protocol, as a generator: every step is synchronous, and whatever needs the outside
 * (a peer, asynchronous cryptography, a store) is an effect that is yielded and whose result comes back.
 * Hosts, tests and the simulator decide how effects are performed; programs decide everything else.
 */
export type Program<T> = Generator<Effect, T, unknown>;

/** A bidirectional stream of frames to the peer Deriver. Its meaning belongs to the host. */
export interface Channel {
  readonly channel: unique symbol;
}

/** HPKE ciphertext (RFC 9180 base mode): encapsulated key of 32 bytes, then the AEAD ciphertext. */
export type Envelope = Uint8Array;

export type SignatureAlgorithm = 'ed25519' | 'p256';

/** A durable table of byte records inside one transaction. Keys and values are copied in and out. */
export interface Transaction {
  get(table: string, key: string): Uint8Array | undefined;
  /** @param deleteAtMs when set, the host's alarm deletes the record at or soon after that time */
  put(table: string, key: string, value: Uint8Array, deleteAtMs?: number): void;
  delete(table: string, key: string): void;
  /** Records of `table` whose key starts with `prefix`, in key order. */
  list(table: string, prefix: string, limit: number): readonly { readonly key: string; readonly value: Uint8Array }[];
}

export type PeerRole = 'deriver-a' | 'deriver-b' | 'signing-worker';

export type Effect =
  /** HPKE seal to a 32-byte X25519 public key → {@link Envelope} */
  | {
      readonly kind: 'seal';
      readonly publicKey: Uint8Array;
      readonly info: Uint8Array;
      readonly aad: Uint8Array;
      readonly plaintext: SecretBytes;
    }
  /** HPKE open with one of the own private keys → SecretBytes, or YaoError `envelope_rejected` */
  | {
      readonly kind: 'open';
      readonly keyId: string;
      readonly info: Uint8Array;
      readonly aad: Uint8Array;
      readonly envelope: Envelope;
    }
  /** Ed25519 by the own role key → 64 bytes */
  | { readonly kind: 'sign'; readonly message: Uint8Array }
  /** → boolean; a malformed key or signature is `false`. P-256: SEC1 uncompressed key, 64-byte r‖s over SHA-256 */
  | {
      readonly kind: 'verify';
      readonly algorithm: SignatureAlgorithm;
      readonly publicKey: Uint8Array;
      readonly message: Uint8Array;
      readonly signature: Uint8Array;
    }
  /** Runs `decide` atomically and durably → its result; when it throws, nothing is written and the error comes back. */
  | { readonly kind: 'transact'; readonly decide: (transaction: Transaction) => unknown }
  /** SigningWorker only: replaces what a slot of the vault holds → void, durable. A slot can be erased whole. */
  | { readonly kind: 'vault-write'; readonly slot: string; readonly tag: string; readonly sealed: Uint8Array }
  /** → the slot's bytes if they were written under `tag`, else undefined */
  | { readonly kind: 'vault-read'; readonly slot: string; readonly tag: string }
  /** Removes the slot's bytes from the disk, write-ahead log included, if they were written under `tag` → void */
  | { readonly kind: 'vault-erase'; readonly slot: string; readonly tag: string }
  /** Router only: → a wallet's newest audit events, newest first, those included that are still being written */
  | { readonly kind: 'read-audit'; readonly walletId: string; readonly limit: number }
  /** Router only: → a wallet's audit events behind number `after`, oldest first, with their numbers */
  | { readonly kind: 'export-audit'; readonly walletId: string; readonly after: number; readonly limit: number }
  /** Router only: deletes a wallet's audit events → how many there were */
  | { readonly kind: 'forget-audit'; readonly walletId: string }
  /** Calls another role with a JSON body → its JSON answer, or the YaoError it answered, or `peer_failed`, `deadline_exceeded` */
  | { readonly kind: 'call'; readonly role: PeerRole; readonly path: string; readonly body: unknown; readonly deadlineMs: number }
  /**
   * Garbler only: opens the frame stream to the peer for `ceremonyId`, and with it sends `opening`, the first frame → Channel, once
   * whoever answers has proved to be the peer; `peer_failed` when it cannot be reached, also not when dialed again
   */
  | {
      readonly kind: 'connect';
      readonly ceremonyId: string;
      readonly shard: number;
      readonly opening: Uint8Array;
      readonly deadlineMs: number;
    }
  /**
   * Evaluator only: waits until the garbler has opened the stream for `ceremonyId`, or has opened it `again` → Channel; the opening is
   * its first frame. A rejection from before counts when it is again
   */
  | { readonly kind: 'accept'; readonly ceremonyId: string; readonly again: boolean; readonly deadlineMs: number }
  /** Evaluator only: ends the wait for that stream with `peer_failed`, and closes it when it is or gets opened */
  | { readonly kind: 'reject'; readonly ceremonyId: string }
  /** Queues one frame; a later `turn` or `receive` lets it leave. */
  | { readonly kind: 'send'; readonly channel: Channel; readonly frame: Uint8Array }
  /** → the next frame; YaoError `deadline_exceeded` at `deadlineMs` (absolute), `peer_failed` when the stream closes */
  | { readonly kind: 'receive'; readonly channel: Channel; readonly deadlineMs: number }
  /** One turn of the event loop, so that queued frames leave → the next frame if one has arrived already, else undefined */
  | { readonly kind: 'turn'; readonly channel: Channel }
  | { readonly kind: 'close'; readonly channel: Channel }
  /** One turn of the event loop, so that what is under way beside this program goes on → void */
  | { readonly kind: 'pause' }
  /** Client only: the user's credential approves of `message`, asking the user where it has to → {@link CredentialProof} */
  | { readonly kind: 'authorize'; readonly credentialId: Uint8Array; readonly message: Uint8Array }
  /** Client only: Ed25519 by a key of the device → 64 bytes */
  | { readonly kind: 'sign-with'; readonly seed: SecretBytes; readonly message: Uint8Array }
  /** Client only: HPKE open with a key of the device → SecretBytes, or YaoError `envelope_rejected` */
  | {
      readonly kind: 'open-with';
      readonly privateKey: SecretBytes;
      readonly info: Uint8Array;
      readonly aad: Uint8Array;
      readonly envelope: Envelope;
    }
  /** Client only: asks the Router (`GET` without a body) → its JSON answer, or the YaoError it answered */
  | { readonly kind: 'ask'; readonly path: string; readonly body?: unknown }
  /** Client only: stores a secret record durably under a name, or deletes it */
  | { readonly kind: 'keep'; readonly name: string; readonly secret: SecretBytes | null }
  /** Client only: → the SecretBytes stored under a name, or undefined */
  | { readonly kind: 'recall'; readonly name: string }
  /** Runs programs side by side → their results; the first error comes back after all have ended. */
  | { readonly kind: 'all'; readonly programs: readonly Program<unknown>[] };

type EffectOf<K extends Effect['kind']> = Extract<Effect, { kind: K }>;

/** Performs one effect and types its result; the only place where a result's type is taken on trust. */
function* perform<T>(effect: Effect): Program<T> {
  return (yield effect) as T;
}

type Without<K extends Effect['kind']> = Omit<EffectOf<K>, 'kind'>;

export const seal = (effect: Without<'seal'>): Program<Envelope> => perform({ kind: 'seal', ...effect });
export const open = (effect: Without<'open'>): Program<SecretBytes> => perform({ kind: 'open', ...effect });
export const sign = (message: Uint8Array): Program<Uint8Array> => perform({ kind: 'sign', message });
export const verify = (effect: Without<'verify'>): Program<boolean> => perform({ kind: 'verify', ...effect });
export const transact = <T>(decide: (transaction: Transaction) => T): Program<T> => perform({ kind: 'transact', decide });
export const vaultWrite = (effect: Without<'vault-write'>): Program<void> => perform({ kind: 'vault-write', ...effect });
export const vaultRead = (effect: Without<'vault-read'>): Program<Uint8Array | undefined> =>
  perform({ kind: 'vault-read', ...effect });
export const vaultErase = (effect: Without<'vault-erase'>): Program<void> => perform({ kind: 'vault-erase', ...effect });
export const readAudit = (walletId: string, limit: number): Program<readonly AuditEvent[]> =>
  perform({ kind: 'read-audit', walletId, limit });
export const exportAudit = (walletId: string, after: number, limit: number): Program<readonly NumberedEvent[]> =>
  perform({ kind: 'export-audit', walletId, after, limit });
export const forgetAudit = (walletId: string): Program<number> => perform({ kind: 'forget-audit', walletId });
export const call = (effect: Without<'call'>): Program<unknown> => perform({ kind: 'call', ...effect });
export const connect = (effect: Without<'connect'>): Program<Channel> => perform({ kind: 'connect', ...effect });
export const accept = (effect: Without<'accept'>): Program<Channel> => perform({ kind: 'accept', ...effect });
export const reject = (effect: Without<'reject'>): Program<void> => perform({ kind: 'reject', ...effect });
export const send = (channel: Channel, frame: Uint8Array): Program<void> => perform({ kind: 'send', channel, frame });
export const receive = (channel: Channel, deadlineMs: number): Program<Uint8Array> =>
  perform({ kind: 'receive', channel, deadlineMs });
export const turn = (channel: Channel): Program<Uint8Array | undefined> => perform({ kind: 'turn', channel });
export const close = (channel: Channel): Program<void> => perform({ kind: 'close', channel });
export const pause = (): Program<void> => perform({ kind: 'pause' });
export const authorizeBy = (effect: Without<'authorize'>): Program<CredentialProof> => perform({ kind: 'authorize', ...effect });
export const signWith = (seed: SecretBytes, message: Uint8Array): Program<Uint8Array> =>
  perform({ kind: 'sign-with', seed, message });
export const openWith = (effect: Without<'open-with'>): Program<SecretBytes> => perform({ kind: 'open-with', ...effect });
export const ask = (path: string, body?: unknown): Program<unknown> => perform({ kind: 'ask', path, body });
export const keep = (name: string, secret: SecretBytes | null): Program<void> => perform({ kind: 'keep', name, secret });
export const recall = (name: string): Program<SecretBytes | undefined> => perform({ kind: 'recall', name });
export const all = <T extends readonly unknown[]>(...programs: { readonly [I in keyof T]: Program<T[I]> }): Program<T> =>
  perform({ kind: 'all', programs });

/** What a host gives every program besides effects: synchronous, side-effect free for others, replayable. */
export interface Surroundings {
  /** Milliseconds since 1970 UTC. */
  now(): number;
  /** Fresh bytes of a cryptographic random source. */
  random(length: number): Uint8Array;
}

/**
 * Drives a program to its end.
 * @param performEffect returns the effect's result, or a promise of it, or throws; what it throws is thrown inside the program
 */
export async function run<T>(program: Program<T>, performEffect: (effect: Effect) => unknown): Promise<T> {
  let step = program.next();
  while (!step.done) {
    let result: unknown;
    try {
      result = performEffect(step.value);
      if (result instanceof Promise) result = await result;
    } catch (error) {
      step = program.throw(error);
      continue;
    }
    step = program.next(result);
  }
  return step.value;
}
