import type { Effect, Program, Transaction } from '@streaming-yao/ceremony/program';
import { YaoError } from '@streaming-yao/core';
import type { Role } from '@streaming-yao/wire';
import type { Actor } from './actor.ts';
import { ChannelEnd } from './channel.ts';
import type { Clock } from './clock.ts';
import type { RoleKeys } from './deployment.ts';
import type { Device } from './device.ts';
import type { Envelopes } from './envelope.ts';
import { signEd25519, verifySignature } from './signatures.ts';
import type { Outcome, Strand, Wait } from './strand.ts';
import { vaultAccess } from './vault.ts';

/** A stream that the garbler opens, and its first frame. */
export type Opened = Pick<Extract<Effect, { kind: 'connect' }>, 'ceremonyId' | 'shard' | 'opening'>;

/** What one object's effects need of the world. */
export interface PerformParts {
  readonly actor: Actor;
  readonly envelopes: Envelopes;
  /** Of a role. */
  readonly keys: RoleKeys | undefined;
  /** Of a client. */
  readonly device: Device | undefined;
  readonly clock: Clock;
  /** How far the actor's clock is ahead of the virtual one. */
  readonly aheadMs: () => number;
  readonly transact: (decide: (transaction: Transaction) => unknown) => Outcome | undefined;
  readonly call: (strand: Strand, role: Role, path: string, body: unknown, deadlineMs: number) => void;
  readonly connect: (opened: Opened, wait: Wait) => void;
}

/** A user's patience with an answer. */
const ASK_MS = 60_000;

const value = (result: unknown): Outcome => ({ value: result });

/** Performs the effects of one object's programs on the simulated platform. */
export class Performer {
  readonly #parts: PerformParts;

  constructor(parts: PerformParts) {
    this.#parts = parts;
  }

  perform(strand: Strand, effect: Effect): Outcome | undefined | Promise<Outcome | undefined> {
    const { call } = this.#parts;
    switch (effect.kind) {
      case 'transact':
        return this.#parts.transact(effect.decide);
      case 'vault-write':
      case 'vault-read':
      case 'vault-erase':
        return this.#parts.transact(vaultAccess(effect));
      case 'call':
        return void call(strand, effect.role, effect.path, effect.body, this.#virtual(effect.deadlineMs));
      case 'ask':
        return void call(strand, 'router', effect.path, effect.body, this.#parts.clock.nowMs + ASK_MS);
      case 'all':
        return sideBySide(strand, effect.programs);
      case 'pause':
        return void strand.turn(() => value(undefined));
      case 'sign':
      case 'verify':
        return value(this.#signature(effect));
      case 'seal':
      case 'open':
      case 'open-with':
        return this.#envelope(effect);
      case 'connect':
      case 'accept':
      case 'reject':
        return this.#stream(strand, effect);
      case 'send':
      case 'receive':
      case 'turn':
      case 'close':
        return this.#frame(strand, effect);
      case 'authorize':
      case 'sign-with':
      case 'keep':
      case 'recall':
        return this.#device(effect);
      case 'read-audit':
      case 'export-audit':
        // The trail is no part of what is simulated: no role decides anything by it.
        return value([]);
      case 'forget-audit':
        return value(0);
      default:
        return unknown(effect);
    }
  }

  /** A time of the actor's clock on the virtual one. */
  #virtual(ownMs: number): number {
    return ownMs - this.#parts.aheadMs();
  }

  #signature(effect: Extract<Effect, { kind: 'sign' | 'verify' }>): unknown {
    if (effect.kind === 'verify') return verifySignature(effect.algorithm, effect.publicKey, effect.message, effect.signature);
    const { keys } = this.#parts;
    if (!keys) throw new Error('only a role has a role key');
    return signEd25519(keys.signingSeed, effect.message);
  }

  async #envelope(effect: Extract<Effect, { kind: 'seal' | 'open' | 'open-with' }>): Promise<Outcome> {
    const { envelopes, keys } = this.#parts;
    const { info, aad } = effect;
    if (effect.kind === 'seal') return value(await envelopes.seal(effect.publicKey, info, aad, effect.plaintext));
    const privateKey = effect.kind === 'open' ? keys?.hpkePrivateKeys.get(effect.keyId) : effect.privateKey;
    return value(await envelopes.open(privateKey, info, aad, effect.envelope));
  }

  #stream(strand: Strand, effect: Extract<Effect, { kind: 'connect' | 'accept' | 'reject' }>): Outcome | undefined {
    const { actor, connect } = this.#parts;
    if (effect.kind === 'reject') {
      actor.streams.reject(effect.ceremonyId);
      return value(undefined);
    }
    const peer = effect.kind === 'connect' ? 'deriver-b' : 'deriver-a';
    const wait = (): Wait => strand.wait(this.#virtual(effect.deadlineMs), () => late(peer));
    if (effect.kind === 'accept') return actor.streams.accept(effect.ceremonyId, effect.again, wait);
    connect(effect, wait());
    return undefined;
  }

  #frame(strand: Strand, effect: Extract<Effect, { kind: 'send' | 'receive' | 'turn' | 'close' }>): Outcome | undefined {
    const { channel } = effect;
    if (!(channel instanceof ChannelEnd) || channel.actor !== this.#parts.actor) throw new Error('not a channel of this object');
    switch (effect.kind) {
      case 'send':
        return value(channel.send(effect.frame));
      case 'receive': {
        const deadlineMs = this.#virtual(effect.deadlineMs);
        return channel.receive(() => strand.wait(deadlineMs, () => late(channel.peer.actor.role as Role)));
      }
      case 'turn': {
        channel.flush();
        strand.turn(() => value(channel.take()));
        return undefined;
      }
      case 'close':
        return value(channel.close());
    }
  }

  #device(effect: Extract<Effect, { kind: 'authorize' | 'sign-with' | 'keep' | 'recall' }>): Outcome | undefined {
    const { device, transact } = this.#parts;
    if (!device) throw new Error(`only a client performs ${effect.kind}`);
    switch (effect.kind) {
      case 'authorize':
        return value(device.authorize(effect.credentialId, effect.message));
      case 'sign-with':
        return value(signEd25519(effect.seed, effect.message));
      case 'keep':
        return transact(device.keep(effect.name, effect.secret));
      case 'recall':
        return transact(device.recall(effect.name));
    }
  }
}

function unknown(effect: never): never {
  throw new Error(`the simulated platform has no ${JSON.stringify(effect)}`);
}

function late(party: Role): YaoError {
  return new YaoError('deadline_exceeded', `${party} sent nothing in time`, { party });
}

function sideBySide(strand: Strand, programs: readonly Program<unknown>[]): Outcome | undefined {
  if (programs.length === 0) return value([]);
  const wait = strand.wait();
  const results: unknown[] = new Array(programs.length);
  let running = programs.length;
  let first: { readonly error: unknown } | undefined;
  programs.forEach((program, place) => {
    strand.beside(program, (outcome) => {
      if ('error' in outcome) first ??= outcome;
      else results[place] = outcome.value;
      running--;
      if (running === 0) wait.settle(first ?? value(results));
    });
  });
  return undefined;
}
