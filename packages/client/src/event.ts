import type { Effect } from '@streaming-yao/ceremony/program';
import { type ErrorCode, YaoError } from '@streaming-yao/core';
import type { Credential } from './credential.ts';

/** What a {@link WalletEvent} of the kind `operation` is about: the methods of {@link Wallet} that take their time. */
export type WalletOperation =
  | 'register'
  | 'recover'
  | 'refresh'
  | 'link'
  | 'accept-link'
  | 'sign'
  | 'session'
  | 'export'
  | 'resume';

/** How far something has come; `code` says why it failed where it was an error of this protocol. */
type Course = { readonly state: 'started' | 'succeeded' } | { readonly state: 'failed'; readonly code: ErrorCode | undefined };

/** What an app may show while something is under way. Nothing secret fits in here. */
export type WalletEvent = { readonly atMs: number } & (
  | ({ readonly kind: 'operation'; readonly operation: WalletOperation; readonly keyIndex: number } & Course)
  /** The user is asked, or has answered. */
  | ({ readonly kind: 'approval' } & Course)
  /** Commitments for later signatures are fetched or checked; nobody waits for them but a signature that finds none. */
  | ({ readonly kind: 'refill'; readonly keyIndex: number } & Course)
  /** A request to the Router. */
  | ({ readonly kind: 'request'; readonly path: string } & Course)
);

type WithoutTime<E> = E extends unknown ? Omit<E, 'atMs' | 'state' | 'code'> : never;

/** Tells an app what its wallet does; an app that listens badly disturbs nothing. */
export class Progress {
  readonly #listener: ((event: WalletEvent) => void) | undefined;
  readonly #now: () => number;

  constructor(listener: ((event: WalletEvent) => void) | undefined, now: () => number) {
    this.#listener = listener;
    this.#now = now;
  }

  /** Reports the course of `act`. */
  async of<T>(what: WithoutTime<WalletEvent>, act: () => T | Promise<T>): Promise<T> {
    this.#tell(what, { state: 'started' });
    try {
      const result = await act();
      this.#tell(what, { state: 'succeeded' });
      return result;
    } catch (error) {
      this.#tell(what, { state: 'failed', code: error instanceof YaoError ? error.code : undefined });
      throw error;
    }
  }

  /** Performs effects with `perform`, and reports requests. */
  observed(perform: (effect: Effect) => unknown): (effect: Effect) => unknown {
    if (!this.#listener) return perform;
    return (effect) =>
      effect.kind === 'ask' ? this.of({ kind: 'request', path: effect.path }, () => perform(effect)) : perform(effect);
  }

  #tell(what: WithoutTime<WalletEvent>, course: Course): void {
    try {
      this.#listener?.({ atMs: this.#now(), ...what, ...course } as WalletEvent);
    } catch {
      // The app's own fault, and no reason to break off a ceremony.
    }
  }
}

/** The credential, each question to it reported. */
export function observedCredential(credential: Credential, progress: Progress): Credential {
  return { ...credential, prove: (statements) => progress.of({ kind: 'approval' }, () => credential.prove(statements)) };
}
