import { Authority, ChangeAuthority, type Credential, idOfCredential } from '@streaming-yao/wire';
import { expect, test } from 'vitest';
import type { Effect, Program, Transaction } from '../src/program.ts';
import type { RouterSurroundings } from '../src/role.ts';
import { changeAuthority } from '../src/router-authority.ts';
import { readChange, writeAuthority } from '../src/router-record.ts';

const credentialOf = (fill: number): Credential => ({
  ...{ kind: 'ed25519', purpose: 'device', label: `credential ${fill}`, publicKey: new Uint8Array(32).fill(fill) },
});
const [first, second] = [credentialOf(1), credentialOf(2)];
const current: Authority = { deployment: 'd', walletId: 'w', version: 1, previous: null, credentials: [first, second] };

/** A change by which `author` alone stays. */
function changeBy(author: Credential): unknown {
  const authority = { ...current, version: 2, previous: Authority.digest(current), credentials: [author] };
  const proof = { credentialId: idOfCredential(author), evidence: { kind: 'signature', signature: new Uint8Array(64) } } as const;
  return ChangeAuthority.toJson({ update: { authority, proof }, roots: [] });
}

const records = new Map<string, Uint8Array>();
const tx: Transaction = {
  get: (table, name) => records.get(`${table} ${name}`),
  put: (table, name, value) => void records.set(`${table} ${name}`, value),
  delete: (table, name) => void records.delete(`${table} ${name}`),
  list: () => [],
};

/** Runs a program of the Router's until it is about to perform an effect of that kind. */
function runUntil(kind: Effect['kind'], program: Program<unknown>, given?: unknown): void {
  for (let step = program.next(given); !step.done; ) {
    const effect = step.value as Effect;
    if (effect.kind === kind) return;
    if (effect.kind !== 'transact') throw new Error(`${effect.kind} was not expected`);
    step = program.next(effect.decide(tx));
  }
}

test('of two changes of credentials at once the later one is refused before any role hears of it', () => {
  const s = { pins: { deployment: 'd' }, now: () => 0, settings: { callDeadlineMs: 1 } } as unknown as RouterSurroundings;
  writeAuthority(tx, 'w', current);
  const changes = [first, second].map((author) => changeAuthority(s, changeBy(author)));
  const [early, late] = changes as [Program<unknown>, Program<unknown>];
  for (const change of changes) runUntil('verify', change);
  runUntil('all', early, true);
  expect(() => runUntil('all', late, true)).toThrow(expect.objectContaining({ code: 'authority_mismatch' }));
  expect(readChange(tx, 'w')?.authority.credentials).toEqual([first]);
});
