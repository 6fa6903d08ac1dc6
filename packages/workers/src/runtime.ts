import { type Effect, run } from '@streaming-yao/ceremony/program';
import type { Asker, Handler, RoleSurroundings } from '@streaming-yao/ceremony/role';
import { YaoError } from '@streaming-yao/core';
import { type AuditTrail, trailIn } from './audit.ts';
import type { RoleConfig } from './config.ts';
import { nativeHashing } from './hashing.ts';
import { type Answer, accepted, refused } from './http.ts';
import { logFault } from './log.ts';
import { bindingsOf } from './peer-bindings.ts';
import { Peers } from './peers.ts';
import { createPerformer, type ObjectParts } from './perform.ts';
import { random } from './random.ts';
import type { Host, RoleDefinition, RoleEnvironment } from './role.ts';
import { createSealer } from './sealer.ts';
import { signingKeyOf } from './signatures.ts';
import { Vault } from './vault.ts';

/** Where programs run: one object, or the Worker itself, which has no object parts and shard 0. */
export interface Place {
  readonly shard: number;
  readonly memory: Map<string, unknown>;
  readonly object?: ObjectParts;
  /** Keeps the place alive until a promise has settled. */
  readonly keepAlive: (promise: Promise<unknown>) => void;
}

/** Runs a role's programs in one place. */
export interface Runtime<S extends RoleSurroundings> {
  /** The program's JSON, or its error; never throws. */
  answer(path: string, handler: Handler<S>, body: unknown, asker: Asker): Promise<Answer>;
}

export function createRuntime<S extends RoleSurroundings>(
  { role, surroundings }: RoleDefinition<S>,
  config: RoleConfig,
  environment: RoleEnvironment,
  place: Place,
): Runtime<S> {
  const trail = environment.DB && trailIn(place.memory, environment.DB, place.object === undefined);
  const perform = createRolePerformer(config, environment, place.object, trail);
  const background: Host['background'] = (program) => {
    const ending = afterAnswer()
      .then(() => run(program, perform))
      .catch((error: unknown) => logFault({ event: 'background-failure', role }, error));
    place.keepAlive(ending);
  };
  const given = surroundings(createHost(config, place, background, trail));
  return {
    answer: async (path, handler, body, asker) => {
      try {
        return accepted(await run(handler.program(given, body, asker), perform));
      } catch (error) {
        if (!(error instanceof YaoError)) logFault({ event: 'fault', role, path }, error);
        return refused(error);
      }
    },
  };
}

/** A program in the background may compute for a while before it first waits for something: the answer leaves before. */
const afterAnswer = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

function createRolePerformer(
  config: RoleConfig,
  environment: RoleEnvironment,
  object: ObjectParts | undefined,
  trail: AuditTrail | undefined,
): (effect: Effect) => unknown {
  const signingKey = (): Promise<CryptoKey> => signingKeyOf(config.signingKey);
  const bindings = bindingsOf(config, environment);
  const peers = new Peers({ self: config.role, pins: config.pins, signingKey, bindings });
  const vault = environment.VAULT && new Vault(environment.VAULT);
  return createPerformer({ envelopeKeys: config.envelopeKeys, signingKey, peers, object, vault, trail });
}

function createHost(config: RoleConfig, place: Place, background: Host['background'], trail: AuditTrail | undefined): Host {
  const present = <T>(value: T | undefined, what: string): T => {
    if (value !== undefined) return value;
    throw new YaoError('config_invalid', `${config.role} has no ${what}`, { party: 'operator' });
  };
  return {
    config,
    pins: config.pins,
    settings: config.settings,
    passkeys: config.passkeys,
    operator: config.operator,
    hashing: nativeHashing,
    memory: place.memory,
    shard: place.shard,
    background,
    now: () => Date.now(),
    random,
    derivationRoot: () => present(config.derivationRoot, 'derivation root'),
    sealer: () => createSealer(present(config.storageKey, 'storage key')),
    audit: (event) => place.keepAlive(present(trail, 'database').note(event)),
  };
}
