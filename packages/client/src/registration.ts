import { acceptShare, conclude, prepare, type RootSource } from '@streaming-yao/ceremony/client';
import { SecretBytes } from '@streaming-yao/core';
import type { Authority, CeremonyAnswer } from '@streaming-yao/wire';
import type { Credential } from './credential.ts';
import type { Custody, RootHolder } from './custody.ts';
import type { Device } from './device.ts';
import { intentOf } from './intent.ts';
import type { LaneFacts, WalletFacts } from './lane-record.ts';
import type { RootContents } from './root.ts';

/** Where a registration gets the client root from, and for whom it is wrapped. */
interface Foundation {
  readonly authority: Authority;
  readonly holders: readonly RootHolder[];
  readonly rootId: Uint8Array;
  readonly source: RootSource;
  /** Callable once the user has approved. */
  open(): RootContents;
}

/** The first key of a wallet brings its root and its authority with it. */
function newFoundation(device: Device, holders: readonly RootHolder[], root: SecretBytes): Foundation {
  const { walletId, pins } = device.options;
  const credentials = holders.map(({ record }) => record);
  const authority = { deployment: pins.deployment, walletId, version: 1, previous: null, credentials };
  const open = () => ({ root: root.map((bytes) => bytes.slice()), keys: [] });
  return { authority, holders, rootId: device.surroundings.random(32), source: root, open };
}

async function existingFoundation(custody: Custody, facts: WalletFacts, own: RootHolder): Promise<Foundation> {
  const { authority, wrapped } = facts;
  const source = await custody.rootSource();
  return { authority, holders: [own], rootId: wrapped.rootId, source, open: () => custody.open(wrapped) };
}

/**
 * Makes a key, and this device's lane of it. The root is wrapped and stored before the request leaves, so that any of the
 * wallet's credentials can recover whatever happens then.
 */
export async function registerKey(
  device: Device,
  custody: Custody,
  keyIndex: number,
  recovery: readonly Credential[],
): Promise<{ readonly lane: LaneFacts; readonly answer: CeremonyAnswer }> {
  const facts = await device.facts();
  const own = custody.holder(device.options.credential, facts?.authority);
  using root = SecretBytes.own(device.surroundings.random(32));
  const foundation = facts
    ? await existingFoundation(custody, facts, own)
    : newFoundation(device, [own, ...recovery.map((credential) => custody.holder(credential))], root);
  const { authority } = foundation;
  // A first registration that was broken off may have left the roles without the wallet's first authority.
  const authorityUpdates = authority.version === 1 ? [{ authority, proof: null }] : [];
  const intent = intentOf(device.options, 'register', { keyIndex, lane: 1, authority, authorityUpdates });
  const pending = await device.run(prepare(device.surroundings, intent, foundation.source));
  const contents = foundation.open();
  using kept = contents.root;
  if (!facts) await keepRoot(device, custody, foundation, { ...contents, root: kept });
  const { result: lane, answer } = await device.run(conclude(device.surroundings, pending, acceptShare));
  await device.keepActive(lane);
  const others = contents.keys.filter((key) => key.keyIndex !== keyIndex);
  await keepRoot(device, custody, foundation, { root: kept, keys: [...others, lane] });
  return { lane, answer };
}

/** At the Router for each holder, and on this device for its own credential. */
async function keepRoot(device: Device, custody: Custody, { holders, rootId, authority }: Foundation, contents: RootContents) {
  const wrapped = await custody.storeRoots(holders, contents, rootId);
  if (wrapped) await device.keepFacts({ authority, wrapped });
}
