import { setImmediate } from 'node:timers';
import { type Channel, type Effect, type Program, run } from '@streaming-yao/ceremony/program';
import { YaoError } from '@streaming-yao/core';
import type { AuditTrail } from './audit.ts';
import { SocketChannel } from './channel.ts';
import { type EnvelopeKeys, sealEnvelope } from './hpke.ts';
import type { Peers } from './peers.ts';
import { sign, verify } from './signatures.ts';
import type { RecordStore } from './storage.ts';
import type { ArrivedStreams } from './streams.ts';
import type { Vault } from './vault.ts';

/** What belongs to one object: programs that run in the Worker itself have none of it. */
export interface ObjectParts {
  readonly store: RecordStore;
  readonly streams: ArrivedStreams;
}

export interface PerformerParts {
  /** Of the SigningWorker only. */
  readonly vault?: Vault | undefined;
  /** Of the Router only. */
  readonly trail?: AuditTrail | undefined;
  readonly envelopeKeys: EnvelopeKeys;
  readonly signingKey: () => Promise<CryptoKey>;
  readonly peers: Peers;
  readonly object?: ObjectParts | undefined;
}

/** Performs the effects of a role's programs on the Workers platform; hand it to `run`. */
export function createPerformer(parts: PerformerParts): (effect: Effect) => unknown {
  const perform = (effect: Effect): unknown => {
    switch (effect.kind) {
      case 'seal':
        return sealEnvelope(effect.publicKey, effect.info, effect.aad, effect.plaintext);
      case 'open':
        return parts.envelopeKeys.open(effect.keyId, effect.info, effect.aad, effect.envelope);
      case 'sign':
        return parts.signingKey().then((key) => sign(key, effect.message));
      case 'verify':
        return verify(effect.algorithm, effect.publicKey, effect.message, effect.signature);
      case 'call':
        return parts.peers.call(effect.role, effect.path, effect.body, effect.deadlineMs);
      case 'connect':
        return parts.peers.connect(effect);
      case 'all':
        return sideBySide(effect.programs, perform);
      case 'pause':
        return new Promise((resolve) => setImmediate(resolve));
      case 'transact':
      case 'accept':
      case 'reject':
        return performOnObject(effect, parts.object);
      case 'vault-write':
      case 'vault-read':
      case 'vault-erase':
        return performOnVault(effect, parts.vault);
      case 'read-audit':
        return auditOf(parts.trail).newest(effect.walletId, effect.limit);
      case 'export-audit':
        return auditOf(parts.trail).behind(effect.walletId, effect.after, effect.limit);
      case 'forget-audit':
        return auditOf(parts.trail).forget(effect.walletId);
      default:
        return performOnChannel(effect);
    }
  };
  return perform;
}

function performOnObject(
  effect: Extract<Effect, { kind: 'transact' | 'accept' | 'reject' }>,
  object: ObjectParts | undefined,
): unknown {
  if (!object) throw new YaoError('internal', `${effect.kind} needs an object: name the wallet or the object of this request`);
  switch (effect.kind) {
    case 'transact':
      return object.store.transact(effect.decide);
    case 'accept':
      return object.streams.accept(effect.ceremonyId, effect.again, effect.deadlineMs);
    case 'reject':
      return object.streams.reject(effect.ceremonyId);
  }
}

function performOnVault(
  effect: Extract<Effect, { kind: 'vault-write' | 'vault-read' | 'vault-erase' }>,
  vault: Vault | undefined,
): unknown {
  if (!vault) throw new YaoError('internal', 'this role has no vault');
  switch (effect.kind) {
    case 'vault-write':
      return vault.write(effect.slot, effect.tag, effect.sealed);
    case 'vault-read':
      return vault.read(effect.slot, effect.tag);
    case 'vault-erase':
      return vault.erase(effect.slot, effect.tag);
  }
}

function auditOf(trail: AuditTrail | undefined): AuditTrail {
  if (trail) return trail;
  throw new YaoError('internal', 'this role has no audit trail');
}

function ownChannel(channel: Channel): SocketChannel {
  if (channel instanceof SocketChannel) return channel;
  throw new YaoError('internal', 'this channel is not one of this host');
}

function performOnChannel(effect: Effect): unknown {
  switch (effect.kind) {
    case 'send':
      return ownChannel(effect.channel).send(effect.frame);
    case 'receive':
      return ownChannel(effect.channel).receive(effect.deadlineMs);
    case 'turn':
      return ownChannel(effect.channel).turn();
    case 'close':
      return ownChannel(effect.channel).close();
    default:
      throw new YaoError('internal', `${effect.kind} is not an effect of a role`);
  }
}

async function sideBySide(
  programs: readonly Program<unknown>[],
  perform: (effect: Effect) => unknown,
): Promise<readonly unknown[]> {
  let first: { readonly error: unknown } | undefined;
  const runs = programs.map((program) =>
    run(program, perform).catch((error: unknown) => {
      first ??= { error };
    }),
  );
  const results = await Promise.all(runs);
  if (first) throw first.error;
  return results;
}
