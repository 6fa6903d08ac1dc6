import type { Json } from '@streaming-yao/core';
import { type Pins, PROFILES, ROLES, type Role } from '@streaming-yao/wire';

/** What an operator decides about a deployment, beside its keys: the content of a `deployment.json`. */
export interface Description {
  /** The Workers are `<name>-<role>`, the database `<name>-audit`. */
  readonly name: string;
  /** Account of each role; one for all within one account. */
  readonly accounts: Readonly<Record<Role, string>>;
  /** Where roles are reached from outside: the Router always, the others under `two-operators`. */
  readonly origins: Readonly<Partial<Record<Role, string>>>;
  /** Id of the Router's D1 database. */
  readonly databaseId: string;
  /** Whether the Router serves the wallet page. */
  readonly page: boolean;
  /** Further variables of every role, as JSON: PASSKEYS, SETTINGS, SHARD_COUNT, MONITOR; ADMISSION of the Router, POLICY of the SigningWorker. */
  readonly variables: Readonly<Record<string, Json>>;
}

const FIELDS = ['name', 'accounts', 'origins', 'databaseId', 'page', 'variables'];

/** Whose variables these are; all others are every role's. */
export const VARIABLES_OF: Readonly<Record<string, readonly Role[]>> = {
  PASSKEYS: ROLES,
  SETTINGS: ROLES,
  SHARD_COUNT: ROLES,
  MONITOR: ROLES,
  ADMISSION: ['router'],
  POLICY: ['signing-worker'],
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** @throws Error that says which field does not fit, and how it should be */
export function readDescription(json: unknown, profile: Pins['profile']): Description {
  const refuse = (why: string): never => {
    throw new Error(`deployment.json: ${why}`);
  };
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return refuse('expected an object');
  const unknown = Object.keys(json).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) refuse(`unknown field ${unknown}; known are ${FIELDS.join(', ')}`);
  const { name, accounts, origins, databaseId, page, variables } = json as Description;
  if (!/^[a-z][a-z0-9-]{0,38}$/.test(name)) refuse('name has 1 to 39 of a-z, 0-9 and "-", and begins with a letter');
  if (!UUID.test(databaseId)) refuse('databaseId is what "wrangler d1 create" prints, a UUID');
  if (typeof page !== 'boolean') refuse('page is true or false');
  for (const role of ROLES)
    if (!/^[0-9a-f]{32}$/.test(accounts?.[role])) refuse(`accounts.${role} is an account id, 32 hex digits`);
  const apart = profile === 'two-operators';
  if (!apart && new Set(Object.values(accounts)).size > 1) refuse(`under ${PROFILES[0]} all roles are in one account`);
  if (apart && accounts['deriver-a'] === accounts['deriver-b'])
    refuse('under two-operators the Derivers are in accounts of their own');
  for (const role of apart ? ROLES : (['router'] as const)) {
    if (!isHttpsOrigin(origins?.[role])) refuse(`origins.${role} is an origin like https://${role}.example`);
  }
  if (!apart && Object.keys(origins).length > 1) refuse('within one account nobody but the Router is reached from outside');
  const strange = Object.keys(variables ?? {}).find((variable) => !Object.hasOwn(VARIABLES_OF, variable));
  if (strange !== undefined) refuse(`unknown variable ${strange}; known are ${Object.keys(VARIABLES_OF).join(', ')}`);
  return json as Description;
}

function isHttpsOrigin(text: unknown): boolean {
  if (typeof text !== 'string' || !URL.canParse(text)) return false;
  const { protocol, origin } = new URL(text);
  return protocol === 'https:' && origin === text;
}

const account = (digit: string): string => digit.repeat(32);

/** For a dry run of a profile, where nobody has decided anything yet: nothing of this exists. */
export function exampleDescription(profile: Pins['profile']): Description {
  const apart = profile === 'two-operators';
  return {
    name: 'yao-example',
    accounts: {
      router: account('a'),
      'deriver-a': account('a'),
      'deriver-b': account(apart ? 'b' : 'a'),
      'signing-worker': account('a'),
    },
    origins: Object.fromEntries((apart ? ROLES : (['router'] as const)).map((role) => [role, `https://${role}.example`])),
    databaseId: '00000000-0000-4000-8000-000000000000',
    page: true,
    variables: { PASSKEYS: { rpId: 'router.example', origins: ['https://router.example'] }, SHARD_COUNT: 4 },
  };
}
