import type { Role } from '@streaming-yao/wire';

/** What a role's Worker needs of the platform, by the names of its bindings (`RoleEnvironment` in role.ts). */
export interface Resources {
  /** Classes of Durable Objects, each with storage in SQLite. */
  readonly objects: Readonly<Record<string, string>>;
  /** A D1 database, with `migrations/` applied. */
  readonly database?: 'DB';
  /** Files of the wallet page, where the role serves it. */
  readonly page?: 'PAGE';
}

export const RESOURCES: Readonly<Record<Role, Resources>> = {
  router: { objects: { OBJECTS: 'RoleObject' }, database: 'DB', page: 'PAGE' },
  'deriver-a': { objects: { OBJECTS: 'RoleObject' } },
  'deriver-b': { objects: { OBJECTS: 'RoleObject' } },
  'signing-worker': { objects: { OBJECTS: 'RoleObject', VAULT: 'VaultSlot' } },
};
