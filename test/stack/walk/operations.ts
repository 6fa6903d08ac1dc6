import { memoryStorage, type RouterConnection, type Storage } from '@streaming-yao/client';
import { equalBytes } from '@streaming-yao/core';
import { idOfCredential } from '@streaming-yao/wire';
import { type Deployment, newCredential, newWalletId, TestDevice } from '../device.ts';

/** One of a user's devices in the middle of an operation; opened again, its app begins anew on the same storage. */
export interface Place {
  readonly storage: Storage;
  open(storage?: Storage, router?: RouterConnection): TestDevice;
}

/** The devices of one wallet. */
export interface Scene {
  /** The device that the operation is about. */
  readonly client: Place;
  /** Another device of the same user, which approves of a link. */
  readonly approver: Place;
}

export type Devices = Readonly<Record<keyof Scene, TestDevice>>;

/** What a walk leads through every crash. */
export interface Operation {
  readonly name: string;
  prepare(devices: Devices): Promise<unknown>;
  /** @param again whether an earlier attempt was interrupted: what the user does then */
  act(devices: Devices, again: boolean): Promise<unknown>;
  /** What becomes of the approver's lane, where it has one. */
  readonly approver?: 'stays' | 'ends';
}

export function openScene(deployment: Deployment, newStorage: () => Storage): Scene {
  const walletId = newWalletId('walk');
  const credential = newCredential();
  const placeOn = (storage: Storage): Place => ({
    storage,
    open: (own = storage, router) =>
      new TestDevice(deployment, { walletId, credential, storage: own, ...(router && { router }) }),
  });
  return { client: placeOn(newStorage()), approver: placeOn(memoryStorage()) };
}

const register = ({ client }: Devices) => client.wallet.register();
/** The key lives on the other device; the walked one has nothing yet. */
const registerElsewhere = ({ approver }: Devices) => approver.wallet.register();
async function registerBoth(devices: Devices): Promise<void> {
  const { client, approver } = devices;
  if (!(await approver.wallet.status())) await registerElsewhere(devices);
  if (!(await client.wallet.status())) await client.wallet.recover({ keepLanes: true });
}

/** Does what gives the client a lane, unless an interrupted attempt has given it one. */
const toLane =
  (act: (devices: Devices) => Promise<unknown>) =>
  async (devices: Devices, again: boolean): Promise<unknown> =>
    (again && (await devices.client.wallet.status())) || act(devices);

async function link({ client, approver }: Devices): Promise<void> {
  const { keys, offer } = client.wallet.offerLink();
  await client.wallet.acceptLink(await approver.wallet.approveLink(offer), keys);
}

async function exportKey({ client }: Devices): Promise<void> {
  const publicKey = await client.wallet.publicKey();
  const { key } = await client.wallet.exportKey({ format: 'pkcs8-der' });
  if (equalBytes(key as Uint8Array, publicKey)) throw new Error('an export of the public key');
}

async function signUnderPresign({ client }: Devices): Promise<void> {
  await client.wallet.prefetch();
  await client.wallet.sign(new Uint8Array(3));
}

const ADDED = newCredential('added');

async function addCredential({ client }: Devices): Promise<void> {
  await client.wallet.addCredential(ADDED);
  const known = await client.wallet.credentials();
  if (!known.some((credential) => equalBytes(idOfCredential(credential), ADDED.id))) throw new Error('it was not added');
}

export const OPERATIONS: readonly Operation[] = [
  { name: 'register', prepare: async () => undefined, act: toLane(register) },
  { name: 'refresh', prepare: register, act: ({ client }) => client.wallet.refresh() },
  { name: 'recover', prepare: registerElsewhere, act: toLane(({ client }) => client.wallet.recover()), approver: 'ends' },
  { name: 'link', prepare: registerElsewhere, act: toLane(link), approver: 'stays' },
  { name: 'export', prepare: register, act: exportKey },
  { name: 'sign', prepare: register, act: ({ client }) => client.wallet.sign(new Uint8Array(3)) },
  { name: 'sign-under-presign', prepare: register, act: signUnderPresign },
  { name: 'add-credential', prepare: register, act: addCredential },
  { name: 'revoke', prepare: registerBoth, act: ({ client }) => client.wallet.revokeLane(1), approver: 'ends' },
];
