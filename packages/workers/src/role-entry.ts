import type { RoleSurroundings } from '@streaming-yao/ceremony/role';
import type { RoleDefinition } from './role.ts';
import { createRoleObject } from './role-object.ts';
import { createRoleWorker } from './role-worker.ts';

/** The two things that a role's entry module exports: the Worker as its default, and the class of its Durable Objects. */
export function createRole<S extends RoleSurroundings>(definition: RoleDefinition<S>) {
  return { worker: createRoleWorker(definition), RoleObject: createRoleObject(definition) };
}
