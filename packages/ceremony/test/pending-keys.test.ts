import { LIMITS } from '@streaming-yao/core';
import type { Authority } from '@streaming-yao/wire';
import { expect, test } from 'vitest';
import { establishKey, notePending, readAuthority, readKey, writeAuthority, writeKey } from '../src/deriver-record.ts';
import type { Transaction } from '../src/program.ts';

const key = { walletId: 'w', keyIndex: 0 };
const bytes = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);

function authorityOf(fill: number): Authority {
  const credential = { kind: 'ed25519', publicKey: bytes(fill), label: 'device', purpose: 'device' } as const;
  return { deployment: 'd', walletId: key.walletId, version: 1, previous: null, credentials: [credential] };
}

const pendingOf = (fill: number) => ({ publicKey: bytes(fill), seedCommitment: bytes(fill + 100), authority: authorityOf(fill) });

function store(): Transaction & { readonly names: () => readonly string[] } {
  const records = new Map<string, Uint8Array>();
  return {
    get: (table, name) => records.get(`${table} ${name}`),
    put: (table, name, value) => void records.set(`${table} ${name}`, value),
    delete: (table, name) => void records.delete(`${table} ${name}`),
    list: (table, prefix, limit) =>
      [...records]
        .filter(([name]) => name.startsWith(`${table} ${prefix}`))
        .slice(0, limit)
        .map(([name, value]) => ({ key: name.slice(table.length + 1), value })),
    names: () => [...records.keys()],
  };
}

test('of several registrations that came to something the activated one is the key, with its authority', () => {
  const tx = store();
  for (const fill of [1, 2, 3]) notePending(tx, key, bytes(fill), pendingOf(fill));
  expect([readKey(tx, key), readAuthority(tx, 'w')]).toEqual([undefined, undefined]);
  establishKey(tx, key, bytes(2), bytes(2));
  expect(readKey(tx, key)).toEqual({
    state: 'active',
    publicKey: bytes(2),
    seedCommitment: bytes(102),
    rootVersion: 1,
    floors: [],
  });
  expect(readAuthority(tx, 'w')).toEqual(authorityOf(2));
  expect(tx.names()).toEqual(['key w/0', 'authority w']);
});

test('an activation of another key than the one derived here changes nothing', () => {
  const tx = store();
  notePending(tx, key, bytes(1), pendingOf(1));
  const before = tx.names();
  for (const [ceremony, publicKey] of [
    [1, 2],
    [2, 1],
  ] as const) {
    expect(() => establishKey(tx, key, bytes(ceremony), bytes(publicKey))).toThrow('another key than the one derived here');
  }
  expect(tx.names()).toEqual(before);
  establishKey(tx, key, bytes(1), bytes(1));
  // Whatever lane the key has by then: heard again, it says nothing new.
  establishKey(tx, key, bytes(9), bytes(1));
  expect(() => establishKey(tx, key, bytes(1), bytes(2))).toThrow('another key');
});

test('what an earlier version kept in the key’s own place is established as well', () => {
  const tx = store();
  writeKey(tx, key, { state: 'pending', publicKey: bytes(1), seedCommitment: bytes(101), rootVersion: 1, floors: [] });
  writeAuthority(tx, authorityOf(1));
  const established = tx.get('authority', 'w');
  tx.put('authority', 'w', Uint8Array.of(...(established?.slice(0, -1) ?? []), 0));
  expect(readAuthority(tx, 'w')).toBeUndefined();
  notePending(tx, key, bytes(2), pendingOf(2));
  establishKey(tx, key, bytes(1), bytes(1));
  expect([readKey(tx, key)?.state, readAuthority(tx, 'w')]).toEqual(['active', authorityOf(1)]);
  expect(tx.names()).toEqual(['key w/0', 'authority w']);
});

test('a wallet’s second key leaves its authority as it stands', () => {
  const tx = store();
  const second = { ...key, keyIndex: 1 };
  notePending(tx, key, bytes(1), pendingOf(1));
  notePending(tx, second, bytes(2), { ...pendingOf(2), authority: authorityOf(1) });
  notePending(tx, second, bytes(3), pendingOf(3));
  establishKey(tx, key, bytes(1), bytes(1));
  // Whoever brought other credentials is not the wallet's.
  expect(() => establishKey(tx, second, bytes(3), bytes(3))).toThrow('another key');
  establishKey(tx, second, bytes(2), bytes(2));
  expect([readAuthority(tx, 'w'), readKey(tx, second)?.publicKey]).toEqual([authorityOf(1), bytes(2)]);
});

test('none is forgotten for another one: past the limit a registration is refused', () => {
  const tx = store();
  for (let fill = 0; fill < LIMITS.pendingKeys; fill++) notePending(tx, key, bytes(fill), pendingOf(fill));
  expect(() => notePending(tx, key, bytes(200), pendingOf(0))).toThrow(expect.objectContaining({ code: 'busy' }));
  establishKey(tx, key, bytes(0), bytes(0));
  expect(tx.names()).toEqual(['key w/0', 'authority w']);
});
