import type { RoleSurroundings } from '@streaming-yao/ceremony/role';
import { type RoleConfig, readConfig } from './config.ts';
import type { RoleDefinition, RoleEnvironment } from './role.ts';
import { createRoleObject } from './role-object.ts';
import { createRoleWorker } from './role-worker.ts';

/** The two things that a role's entry module exports: the Worker as its default, and the class of its Durable Objects. */
export function createRole<S extends RoleSurroundings>(definition: RoleDefinition<S>) {
  let read: RoleConfig | undefined;
  // The same for the Worker and all its objects, as long as they live, of which there is one for each wallet.
  const configOf = (environment: RoleEnvironment): RoleConfig => {
    read ??= readConfig(definition.role, environment as unknown as Record<string, unknown>);
    return read;
  };
  return { worker: createRoleWorker(definition, configOf), RoleObject: createRoleObject(definition, configOf) };
}
