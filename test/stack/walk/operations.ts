import { memoryStorage, type RouterConnection, type Storage } from '@streaming-yao/client';
import { equalBytes } from '@streaming-yao/core';
import { type Deployment, newCredential, newWalletId, TestDevice } from '../device.ts';

/** The devices of one wallet, in the middle of an operation. */
export interface Scene {
  readonly deployment: Deployment;
  readonly walletId: string;
  /** The device whose lane the operation makes or changes. */
  readonly storage: Storage;
  /** Another device of the same user, which helps. */
  readonly helper: TestDevice;
  open(storage?: Storage, router?: RouterConnection): TestDevice;
}

/** What a walk leads through every crash. */
export interface Operation {
  readonly name: string;
  prepare(scene: Scene): Promise<void>;
  act(scene: Scene, device: TestDevice): Promise<unknown>;
  /** What the user does when it did not work: the same again. */
  retry(scene: Scene, device: TestDevice): Promise<unknown>;
}

export function openScene(deployment: Deployment): Scene {
  const walletId = newWalletId('walk');
  const credential = newCredential();
  const storage = memoryStorage();
  const open = (own = storage, router?: RouterConnection) =>
    new TestDevice(deployment, { walletId, credential, storage: own, ...(router && { router }) });
  return { deployment, walletId, storage, helper: open(memoryStorage()), open };
}

const registered = async ({ open }: Scene): Promise<void> => void (await open().wallet.register());

/** The key lives on the helper; the walked device has nothing yet. */
const registeredElsewhere = async ({ helper }: Scene): Promise<void> => void (await helper.wallet.register());

async function link({ helper }: Scene, { wallet }: TestDevice): Promise<void> {
  const { keys, offer } = wallet.offerLink();
  await wallet.acceptLink(await helper.wallet.approveLink(offer), keys);
}

async function exportKey(_: Scene, { wallet }: TestDevice): Promise<void> {
  const publicKey = await wallet.publicKey();
  const { key } = await wallet.exportKey({ format: 'pkcs8-der' });
  if (equalBytes(key as Uint8Array, publicKey)) throw new Error('an export of the public key');
}

async function register(_: Scene, { wallet }: TestDevice): Promise<void> {
  if (!(await wallet.status())) await wallet.register();
}

export const OPERATIONS: readonly Operation[] = [
  { name: 'register', prepare: async () => undefined, act: (_, { wallet }) => wallet.register(), retry: register },
  { name: 'refresh', prepare: registered, act: (_, { wallet }) => wallet.refresh(), retry: (_, { wallet }) => wallet.refresh() },
  {
    name: 'recover',
    prepare: registeredElsewhere,
    act: (_, { wallet }) => wallet.recover(),
    retry: async (_, { wallet }) => (await wallet.status()) ?? (await wallet.recover()),
  },
  {
    name: 'link',
    prepare: registeredElsewhere,
    act: link,
    retry: async (scene, device) => (await device.wallet.status()) ?? (await link(scene, device)),
  },
  { name: 'export', prepare: registered, act: exportKey, retry: exportKey },
  {
    name: 'sign',
    prepare: registered,
    act: (_, { wallet }) => wallet.sign(new Uint8Array(3)),
    retry: (_, { wallet }) => wallet.sign(new Uint8Array(3)),
  },
];
