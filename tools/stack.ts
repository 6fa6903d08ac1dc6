import { chmod, mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { PasskeyRules, SigningPolicy } from '@streaming-yao/ceremony/role';
import { errorFromBody, type Json, type Settings } from '@streaming-yao/core';
import { type Pins, ROLES, type Role } from '@streaming-yao/wire';
import { BINDINGS, CALLEES } from '@streaming-yao/workers/public-peers';
import { RESOURCES } from '@streaming-yao/workers/resources';
import { buildPage } from '../apps/wallet/build.ts';
import { bundleRole, bundleWorker, repository } from './bundle.ts';
import { type DeploymentKeys, existingKeyFiles, generateKeys, pinsText, readKeys, writeKeys } from './keys.ts';
import { freePorts, isBlocked } from './ports.ts';
import { endProcesses, findRoleProcesses, isAlive } from './processes.ts';
import { RoleProcess } from './role-process.ts';

export interface StackOptions {
  /** Where keys, storage and logs of the deployment lie. */
  readonly folder: string;
  /** Begins anew: deletes what an earlier stack left there. */
  readonly fresh?: boolean;
  /** Port of the Router; any free one otherwise. */
  readonly port?: number;
  /** Whether the Router serves the wallet page. */
  readonly page?: boolean;
  /** Where users may be asked for a passkey beside the Router's own pages: origins of `localhost`. */
  readonly passkeyOrigins?: readonly string[];
  /** How the roles reach each other; what the folder has, or one account, otherwise. */
  readonly profile?: Pins['profile'];
  /** Keys to begin a fresh folder with; new ones otherwise. */
  readonly keys?: DeploymentKeys;
  /** Whom the Router lets in; everybody, as often as they like, otherwise. */
  readonly admission?: { readonly [field: string]: Json };
  /** What the SigningWorker signs; anything otherwise. */
  readonly policy?: SigningPolicy;
  /** What the roles' settings are to be where not the standard. */
  readonly settings?: Partial<Settings>;
  /** Sees to it that `caller` reaches `callee`, which listens on `port`, by something in between. @returns the port of that */
  readonly between?: (caller: Role, callee: Role, port: number) => Promise<number>;
  /** Entry file of a role's Worker, where not its own. */
  readonly entry?: (role: Role) => string;
  /** Whether debuggers can look into the roles' Workers. */
  readonly inspected?: boolean;
  /** Ports of further services that every role can reach, by the name of the binding. */
  readonly services?: Readonly<Record<string, number>>;
  /** Whether SIGINT and SIGTERM stop the stack and end this process; else the caller sees to it. */
  readonly endOnSignal?: boolean;
}

/** Router, Deriver A, Deriver B and SigningWorker on this machine, each in a workerd process of its own. */
export interface Stack {
  readonly folder: string;
  readonly routerUrl: string;
  readonly pins: Pins;
  /** Each can be killed, stopped, restarted and looked into by itself. */
  readonly roles: Readonly<Record<Role, RoleProcess>>;
  restart(role: Role): Promise<{ readonly ended: number; readonly pid: number }>;
  /** Ends all processes; storage and keys stay. */
  stop(): Promise<void>;
}

/** @throws Error when another stack runs on the folder, clients refuse the port, or a role refuses to start */
export async function startStack(options: StackOptions): Promise<Stack> {
  if (options.port !== undefined && (await isBlocked(options.port))) {
    throw new Error(`browsers and fetch refuse to talk to port ${options.port}, whoever listens there; choose another`);
  }
  await mkdir(options.folder, { recursive: true });
  await chmod(options.folder, 0o700);
  const folder = await realpath(options.folder);
  await claim(folder);
  await endProcesses(findRoleProcesses(folder).map(({ pid }) => pid));
  if (options.fresh) await clear(folder);
  const keys = await keysIn(path.join(folder, 'keys'), options);
  const ports = await choosePorts(options.port);
  await writeFile(claimFile(folder), await ownClaim(`http://127.0.0.1:${ports.router}`));
  const passkeys = { rpId: 'localhost', origins: [`http://localhost:${ports.router}`, ...(options.passkeyOrigins ?? [])] };
  const page = options.page ? await buildPageIn(path.join(folder, 'page'), keys.pins) : undefined;
  const started: RoleProcess[] = [];
  const stop = async (): Promise<void> => {
    release();
    await Promise.all(started.map((role) => role.stop()));
    await rm(claimFile(folder), { force: true });
  };
  const release = options.endOnSignal === false ? () => undefined : endOnSignal(stop);
  try {
    const starting = await Promise.allSettled(
      ROLES.map(async (role) => started.push(await startRole(role, { options, folder, keys, ports, passkeys, page }))),
    );
    const failed = starting.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    for (const role of started) await requireHealth(role);
    await pairAhead(started);
  } catch (error) {
    await stop();
    throw error;
  }
  const roles = Object.fromEntries(started.map((role) => [role.role, role])) as Record<Role, RoleProcess>;
  return { folder, routerUrl: roles.router.url, pins: keys.pins, roles, restart: (role) => roles[role].restart(), stop };
}

const claimFile = (folder: string): string => path.join(folder, 'stack.json');

/** Takes the folder for this process. What a process that died has left there is taken over. */
async function claim(folder: string): Promise<void> {
  const own = await ownClaim();
  const isFirst = await writeFile(claimFile(folder), own, { flag: 'wx' }).then(
    () => true,
    () => false,
  );
  if (isFirst) return;
  const claimed = await readFile(claimFile(folder), 'utf8').then(
    (text) => JSON.parse(text) as { pid: number; born: string },
    () => undefined,
  );
  if (claimed && isAlive(claimed.pid) && (await bornOf(claimed.pid)) === claimed.born) {
    throw new Error(`a stack runs on ${folder} already (process ${claimed.pid}); stop it, or choose another folder`);
  }
  await writeFile(claimFile(folder), own);
}

/** @param router its address, for tools on this machine */
async function ownClaim(router?: string): Promise<string> {
  return JSON.stringify({ pid: process.pid, born: await bornOf(process.pid), router });
}

/** When a process began, since its number alone may have passed to another. */
async function bornOf(pid: number): Promise<string> {
  const facts = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return facts.slice(facts.lastIndexOf(')')).split(' ')[20] ?? '';
}

async function clear(folder: string): Promise<void> {
  for (const name of [...ROLES, 'keys']) await rm(path.join(folder, name), { recursive: true, force: true });
}

/** @throws Error when the folder's deployment has another profile than is asked for */
async function keysIn(folder: string, { keys, profile }: StackOptions): Promise<DeploymentKeys> {
  if ((await existingKeyFiles(folder)).length === 0) {
    await writeKeys(folder, keys ?? generateKeys({ deployment: 'local', profile: profile ?? 'one-account' }));
  }
  const found = await readKeys(folder);
  if (profile !== undefined && found.pins.profile !== profile) {
    throw new Error(`the deployment in ${folder} has the profile ${found.pins.profile}; choose another folder, or begin afresh`);
  }
  return found;
}

type Ports = Readonly<Record<Role, number>>;

/** All at once and before anything starts: roles are bound to each other by address, the Router to all. */
async function choosePorts(router: number | undefined): Promise<Ports> {
  const free = await freePorts(ROLES.length);
  const ports = Object.fromEntries(ROLES.map((role, i) => [role, free[i]])) as Record<Role, number>;
  return router === undefined ? ports : { ...ports, router };
}

interface Deployment {
  readonly options: StackOptions;
  readonly folder: string;
  readonly keys: DeploymentKeys;
  readonly ports: Ports;
  readonly passkeys: PasskeyRules;
  /** Folder of the wallet page's files. */
  readonly page: string | undefined;
}

async function buildPageIn(folder: string, pins: Pins): Promise<string> {
  await buildPage({ pins, folder });
  return folder;
}

async function startRole(role: Role, deployment: Deployment): Promise<RoleProcess> {
  const { options, folder, keys, ports, passkeys, page } = deployment;
  const { settings = {}, services = {}, entry, inspected = false } = options;
  const callees = await calleesOf(role, deployment);
  const apart = keys.pins.profile === 'two-operators';
  const origins = callees.map(([callee, port]) => [callee, `http://127.0.0.1:${port}`]);
  const bound = [
    ...Object.entries(services),
    ...(apart ? [] : callees.map(([callee, port]) => [BINDINGS[callee], port] as const)),
  ];
  return RoleProcess.start({
    role,
    folder,
    port: ports[role],
    inspected,
    bundle: await (entry ? bundleWorker(entry(role)) : bundleRole(role)),
    variables: {
      PINS: pinsText(keys.pins),
      PASSKEYS: JSON.stringify(passkeys),
      SETTINGS: JSON.stringify(settings),
      ...(apart && { PEERS: JSON.stringify(Object.fromEntries(origins)) }),
      ...(role === 'router' && options.admission && { ADMISSION: JSON.stringify(options.admission) }),
      ...(role === 'signing-worker' && options.policy && { POLICY: JSON.stringify(options.policy) }),
      ...(keys.operator && { OPERATOR: keys.operator.publicKey }),
      ...keys.secrets[role],
    },
    peers: Object.fromEntries(bound.map(([binding, port]) => [binding, { port }])),
    objects: RESOURCES[role].objects,
    ...(RESOURCES[role].database && { migrations: path.join(repository, 'packages/workers/migrations'), ...(page && { page }) }),
  });
}

/** Ports of the roles that this one calls. */
async function calleesOf(
  role: Role,
  { options, ports }: Deployment,
): Promise<readonly (readonly [keyof typeof BINDINGS, number])[]> {
  const { between = (_caller, _callee, port) => Promise.resolve(port) } = options;
  return Promise.all(CALLEES[role].map(async (callee) => [callee, await between(role, callee, ports[callee])] as const));
}

async function requireHealth(role: RoleProcess): Promise<void> {
  const response = await fetch(`${role.url}/health`);
  const body: unknown = await response.json();
  if (!response.ok) throw errorFromBody(body, role.role as Role);
}

const PAIRING_MS = 60_000;

/** So that the first ceremony finds a pairing of the Derivers, as every later one does. */
async function pairAhead(roles: readonly RoleProcess[]): Promise<void> {
  const deriverA = roles.find(({ role }) => role === 'deriver-a');
  const headers = { 'content-type': 'application/json' };
  // Processes that have just begun may be slow together.
  for (const end = Date.now() + PAIRING_MS; ; ) {
    const response = await fetch(`${deriverA?.url}/ready`, { method: 'POST', headers, body: '{}' });
    if (response.ok) return;
    const error = errorFromBody(await response.json(), 'deriver-a');
    if (!error.retryable || Date.now() > end) throw error;
  }
}

/** @returns takes the handlers away again */
function endOnSignal(stop: () => Promise<void>): () => void {
  const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
  const handlers = Object.entries(codes).map(([signal, code]) => {
    const handler = (): void => void stop().finally(() => process.exit(code));
    process.once(signal, handler);
    return [signal, handler] as const;
  });
  return () => {
    for (const [signal, handler] of handlers) process.removeListener(signal, handler);
  };
}
