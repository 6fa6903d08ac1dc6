import { acceptShare, conclude, prepare, type RootSource, wipeDeviceKeys } from '@streaming-yao/ceremony/client';
import { type ErrorCode, SecretBytes, YaoError } from '@streaming-yao/core';
import type { Authority, CeremonyAnswer, StoreRoot } from '@streaming-yao/wire';
import type { Credential } from './credential.ts';
import type { Custody, RootHolder } from './custody.ts';
import type { Device } from './device.ts';
import { intentOf } from './intent.ts';
import type { LaneFacts } from './lane-record.ts';
import type { RootContents } from './root.ts';

/** Where a registration gets the client root from, and for whom it is wrapped. */
interface Foundation {
  readonly authority: Authority;
  readonly holders: readonly RootHolder[];
  readonly rootId: Uint8Array;
  readonly source: RootSource;
  /** Whether the request brings the root to the Router. */
  readonly isNew: boolean;
  /** Callable once the user has approved. */
  open(): RootContents;
}

export interface RegisteredLane {
  readonly lane: LaneFacts;
  readonly answer: CeremonyAnswer;
  /** The root with the new key beside it, for the Router to have as well: whoever recovers knows the key then. */
  readonly roots: readonly StoreRoot[];
}

/** The first key of a wallet brings its root and its authority with it. */
function newFoundation(device: Device, holders: readonly RootHolder[], root: SecretBytes, rootId: Uint8Array): Foundation {
  const { walletId, pins } = device.options;
  const credentials = holders.map(({ record }) => record);
  const authority = { deployment: pins.deployment, walletId, version: 1, previous: null, credentials };
  const open = () => ({ root: root.map((bytes) => bytes.slice()), keys: [] });
  return { authority, holders, rootId, source: root, isNew: true, open };
}

async function existingFoundation(custody: Custody, authority: Authority, own: RootHolder): Promise<Foundation> {
  const wrapped = await custody.wrappedRoot();
  const open = () => custody.open(wrapped);
  return { authority, holders: [own], rootId: wrapped.rootId, source: () => open().root, isNew: false, open };
}

/** What the roles say to a device that has lost, or has not heard, what the wallet has been since. */
const WALLET_STANDS: ReadonlySet<ErrorCode> = new Set(['root_exists', 'authority_mismatch']);

/**
 * Makes a key, and this device's lane of it. A wallet's first root travels wrapped with the request, and is stored before anything
 * else happens, so that any of the wallet's credentials can recover whatever happens then. Where the wallet has a root already, that
 * one is used, and the authority that the Router has on record.
 */
export async function registerKey(
  device: Device,
  custody: Custody,
  keyIndex: number,
  recovery: readonly Credential[],
): Promise<RegisteredLane> {
  const { credential } = device.options;
  const facts = await device.facts();
  const own = custody.holder(credential, facts?.authority);
  const holders = [own, ...recovery.map((spare) => custody.holder(spare))];
  try {
    using root = SecretBytes.own(device.surroundings.random(32));
    const foundation = facts
      ? await existingFoundation(custody, facts.authority, own)
      : newFoundation(device, holders, root, device.surroundings.random(32));
    return await registerOn(foundation, device, custody, keyIndex);
  } catch (error) {
    if (!(error instanceof YaoError && WALLET_STANDS.has(error.code))) throw error;
    const { root, wrapped, authority } = await custody.unlock();
    using stored = root;
    if (authority) await device.keepFacts({ authority, wrapped });
    const foundation = authority
      ? await existingFoundation(custody, authority, custody.holder(credential, authority))
      : newFoundation(device, holders, stored, wrapped.rootId);
    return await registerOn(foundation, device, custody, keyIndex);
  }
}

async function registerOn(
  { authority, holders, rootId, source, isNew, open }: Foundation,
  device: Device,
  custody: Custody,
  keyIndex: number,
): Promise<RegisteredLane> {
  // A first registration that was broken off may have left the roles without the wallet's first authority.
  const authorityUpdates = authority.version === 1 ? [{ authority, proof: null }] : [];
  const intent = intentOf(device.options, 'register', { keyIndex, lane: 1, authority, authorityUpdates });
  const prepared = await device.run(prepare(device.surroundings, intent, source));
  try {
    const { root, keys } = open();
    using kept = root;
    const brought = isNew ? await custody.wrapRoots(holders, { root: kept, keys }, rootId) : [];
    const pending = { ...prepared, request: { ...prepared.request, roots: brought } };
    const { result: lane, answer } = await device.run(conclude(device.surroundings, pending, acceptShare));
    const others = keys.filter((key) => key.keyIndex !== keyIndex);
    const roots = await custody.wrapRoots(holders, { root: kept, keys: [...others, lane] }, rootId);
    const wrapped = device.ownRoot(roots);
    if (wrapped) await device.keepFacts({ authority, wrapped });
    await device.keepActive(lane);
    return { lane, answer, roots };
  } finally {
    wipeDeviceKeys(prepared);
  }
}
