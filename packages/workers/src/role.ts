import type { AuditEvent, Handlers, Hashing, RoleSurroundings, Sealer } from '@streaming-yao/ceremony/role';
import type { SecretBytes } from '@streaming-yao/core';
import type { Role } from '@streaming-yao/wire';
import type { RoleConfig } from './config.ts';
import type { D1Database, DurableObjectNamespace, RoleBinding } from './platform.ts';

/** Bindings of a role's Worker, beside the variables that `readConfig` reads. */
export interface RoleEnvironment {
  readonly OBJECTS: DurableObjectNamespace;
  readonly DERIVER_A?: RoleBinding;
  readonly DERIVER_B?: RoleBinding;
  readonly SIGNING_WORKER?: RoleBinding;
  /** The SigningWorker's sealed shares. */
  readonly VAULT?: DurableObjectNamespace;
  /** The Router's audit trail. */
  readonly DB?: D1Database;
  /** Files of the wallet page, for a Router that serves it. */
  readonly PAGE?: RoleBinding;
}

/** What the host offers; a role's entry adds what is its own and hands both to its programs. */
export interface Host extends RoleSurroundings {
  readonly config: RoleConfig;
  readonly hashing: Hashing;
  /** Lives as long as the object, or as the Worker for programs that run there; never stored. */
  readonly memory: Map<string, unknown>;
  /** The object's number among the role's; 0 in the Worker itself. */
  readonly shard: number;
  /** @throws YaoError `config_invalid` for a role without a storage key */
  sealer(): Sealer;
  /** @throws YaoError `config_invalid` for a role without a derivation root */
  derivationRoot(): SecretBytes;
  /** Appends to the audit trail after the answer. @throws YaoError `config_invalid` for a role without a database */
  audit(event: AuditEvent): void;
}

/** One role: its requests, and how their programs' surroundings are made from the host. */
export interface RoleDefinition<S extends RoleSurroundings> {
  readonly role: Role;
  readonly handlers: Handlers<S>;
  readonly surroundings: (host: Host) => S;
}
