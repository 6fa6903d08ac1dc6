import { handlers as deriverA } from '@streaming-yao/ceremony/deriver-a';
import { handlers as deriverB } from '@streaming-yao/ceremony/deriver-b';
import type { Handler, RoleSurroundings } from '@streaming-yao/ceremony/role';
import { handlers as router } from '@streaming-yao/ceremony/router';
import { handlers as signingWorker } from '@streaming-yao/ceremony/signing-worker';
import type { Role } from '@streaming-yao/wire';

/** A role's requests by path, whatever surroundings its programs need: the world gives each role its own. */
export type RoleHandlers = Readonly<Record<string, Handler<RoleSurroundings>>>;

/** The real programs of all roles. */
export const HANDLERS = {
  router,
  'deriver-a': deriverA,
  'deriver-b': deriverB,
  'signing-worker': signingWorker,
} as unknown as Readonly<Record<Role, RoleHandlers>>;
