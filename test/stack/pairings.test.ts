import { createHash, createHmac } from 'node:crypto';
import { cp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Transform } from 'node:stream';
import { sha256 } from '@noble/hashes/sha2.js';
import { fromBase64Url, SecretBytes, toHex } from '@streaming-yao/core';
import { TABLE_BYTES } from '@streaming-yao/engine';
import {
  Abort,
  type CeremonyAnswer,
  CeremonyRequest,
  ceremonyIdOf,
  FrameLine,
  Open,
  payloadOf,
  Receipt,
} from '@streaming-yao/wire';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { Stack } from '../../tools/stack.ts';
import { authorizedRequest, registerKey } from './ceremonies.ts';
import { outcomeOf, TestDevice } from './device.ts';
import { openAsDeriverA } from './raw-stream.ts';
import { sharedStack } from './shared-stack.ts';
import { StolenRouter } from './stolen-router.ts';
import { ceremonyState, recordsOf } from './storage.ts';
import { type Meddling, type Passage, Tap } from './tap.ts';

const DERIVERS = ['deriver-a', 'deriver-b'] as const;
type Deriver = (typeof DERIVERS)[number];

const taps: Tap[] = [];
/** Opening frames that went from A to B, with the path of their stream. */
const openings: { readonly path: string; readonly frame: Uint8Array }[] = [];

/** What happens on the next streams. */
let meddling: Meddling | undefined;

const shared = sharedStack({
  settings: { ceremonyDeadlineMs: 5_000 },
  between: async (_, callee, port) => {
    if (callee !== 'deriver-b') return port;
    const saw = ({ path: stream, direction, bytes }: Passage): void => {
      const opening = /^GET [\s\S]*x-yao-opening\r\n([\w-]+)/i.exec(Buffer.from(bytes).toString('latin1'))?.[1];
      if (direction === 'to-callee' && opening) openings.push({ path: stream, frame: fromBase64Url(opening) });
    };
    const tap = await Tap.open(port, saw, () => meddling);
    taps.push(tap);
    return tap.port;
  },
});
afterAll(() => {
  for (const tap of taps) tap.close();
});
beforeEach(() => {
  openings.length = 0;
  meddling = undefined;
});

const ticketOf = (answer: CeremonyAnswer): string => {
  const { pairing, counter } = Receipt.decode(answer.receipt.payload).ticket;
  return `${toHex(pairing)} ${counter}`;
};
const pairingOf = (ticket: string | undefined): string | undefined => ticket?.split(' ')[0];

/** A wallet whose ceremonies' tickets are noted. */
async function notingWallet() {
  const { wallet } = new TestDevice(shared.stack);
  const tickets = [ticketOf((await wallet.register()).answer)];
  return { tickets, refresh: async () => tickets.push(ticketOf((await wallet.refresh()).answer)) };
}

const objectsOf = ({ folder }: Stack, role: Deriver): string => path.join(folder, role, 'objects');

/** Does something to a role's storage while the role is down. */
async function whileDown(role: Deriver, act: (objects: string) => Promise<void>): Promise<void> {
  const { stack } = shared;
  await stack.roles[role].down();
  await act(objectsOf(stack, role));
  await stack.roles[role].up();
}

test('pairings outlive a restart of either Deriver, and no ticket comes twice', async () => {
  const { tickets, refresh } = await notingWallet();
  await refresh();
  for (const role of DERIVERS) {
    await shared.stack.restart(role);
    await refresh();
  }
  expect(new Set(tickets).size).toBe(4);
  expect(new Set(tickets.map(pairingOf)).size).toBe(1);
  const counters = tickets.map((ticket) => Number(ticket.split(' ')[1]));
  expect(counters).toEqual(counters.toSorted((left, right) => left - right));
});

test('a spent ticket is refused, also by a restarted Deriver', async () => {
  const router = await StolenRouter.of(shared.stack);
  const key = await registerKey(new TestDevice(shared.stack));
  const [spent] = openings;
  if (!spent) throw new Error('no opening was seen');

  /** What B answers to the old opening in a new ceremony that the user has authorized. */
  async function replayed(request: CeremonyRequest): Promise<string> {
    const id = ceremonyIdOf(request.core, { a: sha256(request.envelopeA), b: sha256(request.envelopeB) });
    // B would wait for another stream until the deadline; nobody waits for that here.
    router.relay('deriver-b', { request }).catch(() => undefined);
    const answer = await openAsDeriverA(
      shared.stack,
      spent?.path.replace(/ceremony=\w+/, `ceremony=${toHex(id)}`) ?? '',
      spent?.frame ?? id,
    );
    const open = new FrameLine(nodeHashing, SecretBytes.own(new Uint8Array(32)), 'to-garbler', id);
    const { code } = Abort.decode(open.open(answer).payload);
    return code;
  }

  expect(await replayed(await authorizedRequest(key, 'export'))).toBe('ticket_spent');
  await shared.stack.restart('deriver-b');
  expect(await replayed(await authorizedRequest(key, 'export'))).toBe('ticket_spent');
  await shared.stack.restart('deriver-a');
  expect(await replayed(await authorizedRequest(key, 'export'))).toBe('ticket_spent');
});

/** Lets no more than so many bytes go to B. @param stalled is called once they have, and B has accepted: both have begun */
function stallingAfter(bytes: number, stalled: () => void): Meddling {
  let passed = 0;
  let accepted = false;
  return (direction) => {
    const transform = (chunk: Uint8Array, _: unknown, next: (error?: null, chunk?: Uint8Array) => void): void => {
      if (direction === 'to-caller') accepted = true;
      else passed += chunk.length;
      if (direction === 'to-caller' || passed <= bytes) next(null, chunk);
      if (accepted && passed > bytes) stalled();
    };
    return new Transform({ transform });
  };
}

test.each(DERIVERS)(
  'a ceremony during which %s dies is burned at both, its ticket is spent, and the next one has another',
  async (role) => {
    const { stack } = shared;
    const key = await registerKey(new TestDevice(stack));
    const request = await authorizedRequest(key, 'refresh');
    const ask = (asked: CeremonyRequest) => outcomeOf(key.device.router('/v1/ceremonies', CeremonyRequest.toJson(asked)));
    openings.length = 0;
    const half = new Promise<void>((stalled) => {
      meddling = stallingAfter(TABLE_BYTES.activation / 2, stalled);
    });
    const first = ask(request);
    await half;
    meddling = undefined;
    await stack.restart(role);
    expect(await first).toMatch(/^(peer_failed|ceremony_burned)$/);
    expect(await ask(request)).toBe('ceremony_burned');
    const id = toHex(ceremonyIdOf(request.core, { a: sha256(request.envelopeA), b: sha256(request.envelopeB) }));
    for (const deriver of DERIVERS) {
      const records = (await recordsOf(stack, deriver)).filter(({ key: name }) => name === id);
      expect([deriver, records.map(ceremonyState)]).toEqual([deriver, ['burned']]);
    }
    expect(await ask(await authorizedRequest(key, 'refresh'))).toBe('done');
    const [spent, next] = openings.map(({ frame }) => Open.decode(payloadOf(frame)).ticket);
    expect(openings).toHaveLength(2);
    expect([next?.pairing, next?.counter]).toEqual([spent?.pairing, (spent?.counter ?? Number.NaN) + 1]);
  },
);

const nodeHashing = {
  sha256: (...parts: readonly Uint8Array[]) => {
    const hash = createHash('sha256');
    for (const part of parts) hash.update(part);
    return Uint8Array.from(hash.digest());
  },
  hmacSha256: (key: Uint8Array, ...parts: readonly Uint8Array[]) => {
    const hmac = createHmac('sha256', key);
    for (const part of parts) hmac.update(part);
    return Uint8Array.from(hmac.digest());
  },
};

test.each(DERIVERS)('a backup of %s that is restored gives no ticket twice', async (role) => {
  const { tickets, refresh } = await notingWallet();
  // So that the backup knows the wallet: the notice of a first activation travels in the background.
  await refresh();
  const backup = path.join(shared.stack.folder, `backup of ${role}`);
  await whileDown(role, (objects) => cp(objects, backup, { recursive: true }));
  await refresh();
  await refresh();
  await whileDown(role, async (objects) => {
    await rm(objects, { recursive: true });
    await cp(backup, objects, { recursive: true });
  });
  await refresh();
  await refresh();
  expect(new Set(tickets).size).toBe(6);
});

test.each(DERIVERS)('pairings that %s has lost are made anew, and the ceremony succeeds', async (role) => {
  const { tickets, refresh } = await notingWallet();
  await whileDown(role, async (objects) => {
    const place = path.join(objects, `${role}-RoleObject`);
    for (const name of (await readdir(place)).filter((file) => /^[0-9a-f]{64}\.sqlite$/.test(file))) {
      const database = new DatabaseSync(path.join(place, name));
      const known = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'records'").get();
      if (known) database.exec("DELETE FROM records WHERE tbl = 'pairing'");
      database.close();
    }
  });
  await refresh();
  await refresh();
  const [first, second, third] = tickets.map(pairingOf);
  expect(second).not.toBe(first);
  expect(third).toBe(second);
});
