import type {
  AuditEvent,
  DeriverSurroundings,
  RoleSurroundings,
  RouterSurroundings,
  SigningWorkerSurroundings,
} from '@streaming-yao/ceremony/role';
import { STANDARD_SETTINGS, utf8 } from '@streaming-yao/core';
import type { Engine } from '@streaming-yao/engine';
import type { Group } from '@streaming-yao/group';
import type { Role } from '@streaming-yao/wire';
import type { Actor } from './actor.ts';
import type { RoleKeys } from './deployment.ts';
import { createSealer, hashing } from './sealer.ts';
import type { Tape } from './tape.ts';

/** The two implementations that a world's programs compute with. */
export interface Mathematics {
  readonly engine: Engine;
  readonly group: Group;
}

export interface SurroundingsParts extends Mathematics {
  readonly actor: Actor;
  readonly common: Pick<RoleSurroundings, 'pins' | 'now' | 'background'>;
  readonly keys: RoleKeys;
  readonly tape: Tape;
  readonly shard: number;
  readonly logged: (bytes: Uint8Array) => void;
}

/** What the programs of one object are given: of everything, only what its role may have. */
export function surroundingsOf(role: Role, parts: SurroundingsParts): RoleSurroundings {
  const { actor, common, keys, tape, engine, group, shard, logged } = parts;
  const { random, memory } = actor;
  const base = { ...common, random, settings: STANDARD_SETTINGS };
  const { hpkeKeys } = keys;
  const sealer = createSealer(keys.storageKey, tape);
  switch (role) {
    case 'router': {
      const audit = (event: AuditEvent): void => logged(utf8(JSON.stringify(event)));
      const router: RouterSurroundings = { ...base, memory, audit };
      return router;
    }
    case 'deriver-a':
    case 'deriver-b': {
      const { derivationRoot } = keys;
      const deriver: DeriverSurroundings = { ...base, derivationRoot, hpkeKeys, sealer, hashing, engine, group, shard, memory };
      return deriver;
    }
    case 'signing-worker': {
      const signingWorker: SigningWorkerSurroundings = { ...base, hpkeKeys, sealer, group, memory };
      return signingWorker;
    }
  }
}
