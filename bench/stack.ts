import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import {
  type Credential,
  createRecoveryPhrase,
  ed25519Credential,
  memoryStorage,
  type RouterConnection,
  recoveryCredential,
  type Storage,
  Wallet,
} from '@streaming-yao/client';
import { connectRouterKeepAlive, loadGroup } from '@streaming-yao/client/node';
import { SecretBytes } from '@streaming-yao/core';
import type { Stack } from '../tools/stack.ts';

export const random = (length: number): Uint8Array => new Uint8Array(randomBytes(length));
const group = loadGroup();
let wallets = 0;

export const newWalletId = (): string => `bench-${wallets++}-${randomBytes(4).toString('hex')}`;

interface DeviceParts {
  readonly credential?: Credential;
  readonly storage?: Storage;
  /** A connection of its own, if not. */
  readonly router?: RouterConnection;
}

export const newCredential = (): Credential => ed25519Credential(group, SecretBytes.own(random(32)), 'device', 'bench');

/** A device of a wallet; without parts one that has nothing yet. */
export function device(
  stack: Stack,
  walletId: string,
  { credential = newCredential(), storage = memoryStorage(), router = connectRouterKeepAlive(stack.routerUrl) }: DeviceParts = {},
): Wallet {
  // A second derivation in the background would be measured with whatever comes first after a registration.
  return new Wallet({ router, pins: stack.pins, walletId, storage, credential, group, secondDerivation: false });
}

/** What a new recovery phrase stands for. */
export const newPhraseCredential = (): Credential => recoveryCredential(group, createRecoveryPhrase(random));

/** Pairs the Derivers ahead, as a deployment does at start-up. */
export async function pairDerivers(stack: Stack): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${stack.roles['deriver-a'].url}/ready`, { method: 'POST', headers, body: '{}' });
  if (!response.ok) throw new Error(`the Derivers do not pair: ${await response.text()}`);
}

/** CPU milliseconds that a process has used so far, user and system; in steps of 10 ms. */
export async function cpuMs(pid: number): Promise<number> {
  const facts = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [user = '0', system = '0'] = facts
    .slice(facts.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}

/** CPU milliseconds of each role while `work` runs. */
export async function cpuOf<T>(
  stack: Stack,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly ms: Readonly<Record<string, number>> }> {
  const roles = Object.values(stack.roles);
  const before = await Promise.all(roles.map(({ pid }) => cpuMs(pid)));
  const result = await work();
  const after = await Promise.all(roles.map(({ pid }) => cpuMs(pid)));
  return { result, ms: Object.fromEntries(roles.map(({ role }, i) => [role, (after[i] ?? 0) - (before[i] ?? 0)])) };
}

/** This process's own CPU milliseconds while `work` runs. */
export async function ownCpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
