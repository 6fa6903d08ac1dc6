import { concatBytes } from '@streaming-yao/core';
import { FRAME_HEADER_BYTES, FRAME_KINDS, FRAME_TAG_BYTES, Open } from '@streaming-yao/wire';
import { describe, expect, test } from 'vitest';
import { pairedBeginning } from '../src/beginning.ts';
import type { ChannelEnd } from '../src/channel.ts';
import { CeremoniesEnd } from '../src/invariants/deadlines.ts';
import { RecordsEnd } from '../src/invariants/deletion.ts';
import { OneEpochSigns } from '../src/invariants/epochs.ts';
import { ReceiptsAgree } from '../src/invariants/receipts.ts';
import { TicketsUsedOnce } from '../src/invariants/tickets.ts';
import type { Exchange } from '../src/observer.ts';
import { openScene } from '../src/scene.ts';
import type { Changes } from '../src/store.ts';
import { register } from '../src/workload/obtain.ts';

const { world } = openScene('watchers');
const deriver = world.objects.of('deriver-a', 'shard-0');
const signingWorker = world.objects.of('signing-worker', 'wallet-w');

const change = (name: string, value: Uint8Array | undefined, deleteAtMs?: number): Changes =>
  new Map([[name, value && { value, deleteAtMs }]]);

describe('tickets', () => {
  const frameOf = (kind: (typeof FRAME_KINDS)[number], payload: Uint8Array = new Uint8Array()): Uint8Array => {
    const header = new Uint8Array(FRAME_HEADER_BYTES);
    header.set([1, FRAME_KINDS.indexOf(kind)]);
    return concatBytes(header, payload, new Uint8Array(FRAME_TAG_BYTES));
  };
  const digest = new Uint8Array(32);
  const opening = frameOf(
    'open',
    Open.encode({
      ceremonyId: digest,
      grant: digest,
      operation: 'export',
      circuitId: digest,
      ticket: { pairing: digest, counter: 7 },
      rootVersion: 1,
      garblerNonce: digest,
    }),
  );

  test('one that B accepts twice is found, also on two streams; the same acceptance again is none', () => {
    const watcher = new TicketsUsedOnce();
    const [one, other] = [{} as ChannelEnd, {} as ChannelEnd];
    watcher.frameArrived(one, opening);
    watcher.frameArrived(other, opening);
    watcher.frameLeft(one, frameOf('accept'));
    watcher.frameLeft(other, frameOf('accept'));
    expect(() => watcher.frameLeft(other, frameOf('accept', digest))).toThrow(/two sessions under ticket/);
  });

  test('an acceptance of no ticket is found', () => {
    const watcher = new TicketsUsedOnce();
    expect(() => watcher.frameLeft({} as ChannelEnd, frameOf('accept'))).toThrow(/under no ticket/);
  });
});

describe('ceremonies', () => {
  const record = (state: number): Uint8Array => Uint8Array.of(2, 0x61, 0x62, state);
  const [RUNNING, COMPLETED, BURNED] = [0, 1, 2];

  test('one that moves back is found', () => {
    const watcher = new CeremoniesEnd();
    watcher.committed(deriver, change('ceremony\nx', record(COMPLETED)));
    expect(() => watcher.committed(deriver, change('ceremony\nx', record(RUNNING)))).toThrow(/went from completed back/);
  });

  test('one that a crash has ended may be burned, and completed no more', () => {
    const watcher = new CeremoniesEnd();
    for (const id of ['x', 'y']) watcher.committed(deriver, change(`ceremony\n${id}`, record(RUNNING)));
    deriver.crash();
    watcher.committed(deriver, change('ceremony\nx', record(BURNED)));
    expect(() => watcher.committed(deriver, change('ceremony\ny', record(COMPLETED)))).toThrow(/although a crash/);
  });

  test('one that a program deletes is found', () => {
    const watcher = new CeremoniesEnd();
    expect(() => watcher.committed(deriver, change('ceremony\nx', undefined))).toThrow(/deleted before its time/);
  });
});

test('an activation without both receipts is found', async () => {
  const exchanges: Exchange[] = [];
  const exchanged = (exchange: Exchange): void => void exchanges.push(exchange);
  const scene = openScene('receipts', { beginning: await pairedBeginning(), observers: [{ exchanged }] });
  await scene.run('register', register(scene.surroundings, scene.wallet));
  const watched = (paths: readonly string[], roles: readonly string[]) => () => {
    const watcher = new ReceiptsAgree();
    for (const exchange of exchanges) {
      if (paths.includes(exchange.path) && roles.includes(exchange.role)) watcher.exchanged(exchange);
    }
  };
  const [both, all] = [
    ['/ceremony', '/activate'],
    ['deriver-a', 'deriver-b', 'signing-worker'],
  ];
  expect(watched(both, all)).not.toThrow();
  expect(watched(both, ['deriver-a', 'signing-worker'])).toThrow(/while 1 of 2/);
  expect(watched(['/activate'], all)).toThrow(/while 0 of 2/);
});

test('a retired lane that returns is found', () => {
  const watcher = new OneEpochSigns([]);
  watcher.committed(signingWorker, change('lane\n0/1', new Uint8Array()));
  watcher.committed(signingWorker, change('lane\n0/1', undefined));
  expect(() => watcher.committed(signingWorker, change('lane\n0/1', new Uint8Array()))).toThrow(/came back/);
});

test('a record that is kept for too long is found', () => {
  const watcher = new RecordsEnd([]);
  watcher.stepped(world);
  watcher.committed(deriver, change('pairing\nx', new Uint8Array(), world.nowMs + 3_600_000));
  expect(() => watcher.committed(deriver, change('pairing\nx', new Uint8Array(), world.nowMs + 7 * 86_400_000))).toThrow(/keeps/);
});
