import type { Json } from '@streaming-yao/core';
import { Pins, type Role } from '@streaming-yao/wire';
import { COMPATIBILITY } from '@streaming-yao/workers/compatibility';
import { BINDINGS, CALLEES } from '@streaming-yao/workers/public-peers';
import { RESOURCES } from '@streaming-yao/workers/resources';
import { type Description, VARIABLES_OF } from './description.ts';

export interface Deployment {
  readonly pins: Pins;
  /** The operator's public key, in base64url. */
  readonly operator?: string;
  readonly description: Description;
}

const workerName = ({ name }: Description, role: Role): string => `${name}-${role}`;

/** The text variables of a role; its secrets are never among them. */
export function variablesOf(role: Role, { pins, operator, description }: Deployment): Readonly<Record<string, string>> {
  const { variables, origins } = description;
  const own = Object.entries(variables).filter(([name]) => VARIABLES_OF[name]?.includes(role));
  const peers = Object.fromEntries(CALLEES[role].map((callee) => [callee, origins[callee]]));
  return {
    PINS: JSON.stringify(Pins.toJson(pins)),
    ...Object.fromEntries(own.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])),
    ...(pins.profile === 'two-operators' && { PEERS: JSON.stringify(peers) }),
    ...(operator !== undefined && { OPERATOR: operator }),
  };
}

/** Names of a role's files, from the folder of its wrangler.json. */
export const PLACES = { worker: 'worker', main: 'worker.js', migrations: 'migrations', page: 'page' } as const;

/** The wrangler.json of a role: the one source of what is uploaded and bound. */
export function configurationOf(role: Role, deployment: Deployment): Readonly<Record<string, Json>> {
  const { pins, description } = deployment;
  const { objects, database, page } = RESOURCES[role];
  const origin = description.origins[role];
  const bound = pins.profile === 'one-account' ? CALLEES[role] : [];
  return {
    name: workerName(description, role),
    account_id: description.accounts[role],
    main: `${PLACES.worker}/${PLACES.main}`,
    base_dir: PLACES.worker,
    no_bundle: true,
    find_additional_modules: true,
    compatibility_date: COMPATIBILITY.date,
    compatibility_flags: [...COMPATIBILITY.flags],
    workers_dev: false,
    preview_urls: false,
    // The platform's own record of an invocation has its whole URL; the roles' lines have an allow-list of fields.
    observability: { enabled: true, logs: { enabled: true, invocation_logs: false } },
    vars: variablesOf(role, deployment),
    services: bound.map((callee) => ({ binding: BINDINGS[callee], service: workerName(description, callee) })),
    durable_objects: { bindings: Object.entries(objects).map(([name, class_name]) => ({ name, class_name })) },
    migrations: [{ tag: 'v1', new_sqlite_classes: Object.values(objects) }],
    ...(origin !== undefined && { routes: [{ pattern: new URL(origin).host, custom_domain: true }] }),
    ...(database && {
      d1_databases: [
        {
          binding: database,
          database_name: `${description.name}-audit`,
          database_id: description.databaseId,
          migrations_dir: PLACES.migrations,
        },
      ],
    }),
    // Without html_handling a request for index.html would be answered with a redirect, which the Router takes for no file.
    ...(page &&
      description.page && { assets: { directory: PLACES.page, binding: page, run_worker_first: true, html_handling: 'none' } }),
  };
}
