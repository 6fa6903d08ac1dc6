import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Role } from '@streaming-yao/wire';
import { bundleWorker } from '../../../tools/bundle.ts';
import { type DeploymentKeys, generateKeys, pinsText } from '../../../tools/keys.ts';
import { freePorts } from '../../../tools/ports.ts';
import { RoleProcess } from '../../../tools/role-process.ts';

type TestRole = Extract<Role, 'router' | 'deriver-a' | 'deriver-b'>;

export interface TestRoles {
  readonly keys: DeploymentKeys;
  readonly folder: string;
  readonly roles: Readonly<Record<TestRole, RoleProcess>>;
  /** Posts JSON. @returns status and parsed answer */
  post(role: TestRole, path: string, body: unknown): Promise<{ readonly status: number; readonly body: unknown }>;
  stop(): Promise<void>;
}

const BINDINGS: Readonly<Record<TestRole, Readonly<Record<string, TestRole>>>> = {
  router: { DERIVER_A: 'deriver-a', DERIVER_B: 'deriver-b' },
  'deriver-a': { DERIVER_B: 'deriver-b' },
  'deriver-b': {},
};

/**
 * Router, A and B of this folder's fixtures, each in a workerd process of its own.
 * @param variables of all of them, beside pins and secrets
 */
export async function startTestRoles(variables: Readonly<Record<string, string>> = {}): Promise<TestRoles> {
  const folder = await mkdtemp(path.join(tmpdir(), 'workers-'));
  const keys = generateKeys({ deployment: 'test', profile: 'one-account' });
  const names: readonly TestRole[] = ['deriver-b', 'deriver-a', 'router'];
  const free = await freePorts(names.length);
  const portOf = (role: TestRole): number => free[names.indexOf(role)] as number;
  const started = await Promise.all(
    names.map(async (role) => {
      const process = await RoleProcess.start({
        role,
        folder,
        port: portOf(role),
        bundle: await bundleWorker(path.join(import.meta.dirname, 'fixtures', `${role}.ts`)),
        variables: { PINS: pinsText(keys.pins), ...variables, ...keys.secrets[role] },
        peers: Object.fromEntries(Object.entries(BINDINGS[role]).map(([name, peer]) => [name, { port: portOf(peer) }])),
        ...(role === 'router' && {
          migrations: path.resolve(import.meta.dirname, '../migrations'),
          objects: { VAULT: 'VaultSlot' },
        }),
      });
      return [role, process] as const;
    }),
  );
  const roles = Object.fromEntries(started) as Record<TestRole, RoleProcess>;
  return {
    keys,
    folder,
    roles,
    post: async (role, where, body) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(roles[role].url + where, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: response.status, body: await response.json() };
    },
    stop: async () => {
      await Promise.all(Object.values(roles).map((process) => process.stop()));
      await rm(folder, { recursive: true });
    },
  };
}
