import { type KnownCredential, memoryStorage, type Storage } from '@streaming-yao/client';
import { decodeLane, laneName } from '@streaming-yao/client/lane-record';
import { LIMITS, toHex } from '@streaming-yao/core';
import { ROLES, type Role } from '@streaming-yao/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Stack } from '../../tools/stack.ts';
import { newCredential, newWalletId, random, TestDevice } from './device.ts';
import { Joined } from './joined-secrets.ts';
import { type Hit, type Needle, searchFor } from './secret-search.ts';
import { sharedStack } from './shared-stack.ts';
import { filesOf } from './storage.ts';
import { type Passage, Tap } from './tap.ts';

interface Received {
  readonly role: Role;
  readonly from: string;
  readonly passage: Passage;
}

const taps: Tap[] = [];
const received: Received[] = [];

/** Whoever the passage went to has received it. */
const note = (caller: Role | undefined, callee: Role) => (passage: Passage) => {
  const inward = passage.direction === 'to-callee';
  const role = inward ? callee : caller;
  if (role) received.push({ role, from: inward ? (caller ?? 'client') : callee, passage });
};

async function tap(caller: Role | undefined, callee: Role, port: number): Promise<number> {
  const opened = await Tap.open(port, note(caller, callee));
  taps.push(opened);
  return opened.port;
}

const shared = sharedStack({ between: tap });
afterAll(() => {
  for (const each of taps) each.close();
});

const MESSAGE = new TextEncoder().encode('a known message');

/** A wallet's whole life, with every random byte and share of its devices known. */
class KnownLife {
  readonly randoms: Uint8Array[] = [];
  readonly shares: Record<string, Uint8Array> = {};
  readonly walletId = newWalletId('private');
  publicKey = new Uint8Array();
  readonly #deployment: Pick<Stack, 'routerUrl' | 'pins'>;

  constructor(deployment: Pick<Stack, 'routerUrl' | 'pins'>) {
    this.#deployment = deployment;
  }

  device(storage: Storage, credential: KnownCredential): TestDevice {
    const known = (length: number): Uint8Array => {
      const bytes = random(length);
      this.randoms.push(bytes.slice());
      return bytes;
    };
    return new TestDevice(this.#deployment, { walletId: this.walletId, storage, credential, random: known });
  }

  async noteShare(storage: Storage): Promise<void> {
    using record = await storage.get(laneName(this.walletId, 0));
    if (!record) throw new Error('this device has no lane');
    const { lane, epoch, share } = decodeLane(record);
    this.shares[`lane ${lane}, epoch ${epoch}`] = share.use((bytes) => bytes.slice());
  }

  async lead(): Promise<void> {
    const [first, second] = [memoryStorage(), memoryStorage()];
    const [own, other, recovery] = [newCredential('first'), newCredential('second'), newCredential('spare')];
    const { wallet } = this.device(first, own);
    const { publicKey } = await wallet.register({ recovery: [recovery] });
    this.publicKey = publicKey.slice();
    await this.noteShare(first);
    await wallet.sign(MESSAGE);
    await wallet.refresh();
    await this.noteShare(first);
    await wallet.sign(MESSAGE);
    const linked = this.device(second, other).wallet;
    const { keys, offer } = linked.offerLink();
    await linked.acceptLink(await wallet.approveLink(offer), keys);
    await this.noteShare(second);
    await linked.sign(MESSAGE);
    const recovered = this.device(second, recovery).wallet;
    await recovered.recover();
    await this.noteShare(second);
    await recovered.exportKey({ format: 'seed-hex' });
  }
}

let life: KnownLife;
let needles: readonly Needle[];

beforeAll(async () => {
  const { stack } = shared;
  const routerPort = await tap(undefined, 'router', Number(new URL(stack.routerUrl).port));
  life = new KnownLife({ routerUrl: `http://127.0.0.1:${routerPort}`, pins: stack.pins });
  await life.lead();
  const { walletId, randoms, publicKey, shares } = life;
  const { joined, root } = await Joined.find(
    stack,
    { walletId, keyIndex: 0 },
    randoms.filter(({ length }) => length === 32),
    publicKey,
  );
  needles = joined.needles(root, shares);
});

function hitsIn(role: Role): readonly Hit[] {
  const search = searchFor(needles);
  return received
    .filter((each) => each.role === role)
    .flatMap(({ from, passage }) => search(`${passage.path} from ${from}`, passage.bytes));
}

async function hitsOnDiskOf(role: Role): Promise<readonly Hit[]> {
  const search = searchFor(needles);
  return (await filesOf(shared.stack, role)).flatMap(({ name, bytes }) => search(name, bytes));
}

test('the life is whole: every operation, four epochs, every byte between the roles recorded', () => {
  expect(Object.keys(life.shares)).toEqual(['lane 1, epoch 1', 'lane 1, epoch 2', 'lane 2, epoch 1', 'lane 3, epoch 1']);
  expect(needles).toHaveLength(15);
  for (const role of ROLES) expect(received.filter((each) => each.role === role).length).toBeGreaterThan(4);
});

test('the longest that anybody received, whatever it was, is a frame of tables, and shorter than 64 KiB', () => {
  const longest = Math.max(...received.map(({ passage }) => passage.bytes.length));
  expect(longest).toBe(65_527);
  expect(longest).toBeLessThan(LIMITS.frameBytes);
  const those = received.filter(({ passage }) => passage.bytes.length === longest);
  expect(new Set(those.map(({ role, passage }) => `${role} ${passage.path.split('?')[0]}`))).toEqual(
    new Set(['deriver-b /stream']),
  );
});

describe.each(ROLES)('%s', (role) => {
  test('has received no secret', () => {
    expect(hitsIn(role)).toEqual([]);
  });

  test('has stored and logged no secret', async () => {
    expect((await filesOf(shared.stack, role)).map(({ name }) => name)).toContain(`${role}/log.txt`);
    expect(await hitsOnDiskOf(role)).toEqual([]);
  });
});

describe('the search can fail', () => {
  test.each(['raw', 'hex', 'base64', 'base64url', 'numbers'] as const)('in %s, at any offset, in both byte orders', (form) => {
    const search = searchFor(needles);
    for (const { name, bytes } of needles) {
      for (const ordered of [Buffer.from(bytes), Buffer.from(bytes).reverse()]) {
        for (let before = 0; before < 3; before++) {
          const around = Buffer.concat([random(before), ordered, random(5)]);
          const written = form === 'raw' ? around : form === 'numbers' ? [...around].join(',') : around.toString(form);
          expect(search('planted', Buffer.from(written)).map(({ secret }) => secret)).toContain(name);
        }
      }
    }
  });

  test('at every role: a device that calls its credential by the seed gives it away to all four', async () => {
    const seed = needles.find(({ name }) => name === 'seed') as Needle;
    const device = new TestDevice(shared.stack);
    const leaky = newCredential(toHex(seed.bytes));
    await device.wallet.register({ recovery: [leaky] });
    for (const role of ROLES) {
      if (role !== 'router') expect(hitsIn(role).map(({ secret }) => secret)).toContain('seed');
      expect((await hitsOnDiskOf(role)).map(({ secret }) => secret)).toContain('seed');
    }
  });
});
