import { ed25519 } from '@noble/curves/ed25519.js';
import { toHex, utf8 } from '@streaming-yao/core';
import { describe, expect, test } from 'vitest';
import type { Actor } from '../src/actor.ts';
import { exportKey, openScene, register, sign } from '../src/index.ts';
import { verifySignature } from '../src/signatures.ts';
import type { Changes } from '../src/store.ts';

const texts = (changes: Changes): readonly string[] => [...changes.values()].map((record) => (record ? toHex(record.value) : ''));

describe('one user, no faults', () => {
  test('registers, signs twice and exports the key that signed', async () => {
    const { run, surroundings, wallet } = openScene('happy path');
    const { result: lane, answer } = await run('register', register(surroundings, wallet));
    expect(answer.activation).not.toBeNull();
    for (const text of ['hello', '']) {
      const signature = await run('sign', sign(surroundings, lane, utf8(text)));
      expect(verifySignature('ed25519', lane.publicKey, utf8(text), signature)).toBe(true);
    }
    const exported = await run('export', exportKey(surroundings, wallet));
    expect(exported.result.use((seed) => toHex(ed25519.getPublicKey(seed)))).toBe(toHex(lane.publicKey));
    expect(exported.answer.activation).toBeNull();
  });

  test('leaves both Derivers with the signatures of both', async () => {
    const stored = new Map<string, string>();
    const keeps = {
      committed: ({ role }: Actor, changes: Changes) => stored.set(role, [stored.get(role), ...texts(changes)].join()),
    };
    const { run, surroundings, wallet } = openScene('receipts', { observers: [keeps] });
    const { signatureA, signatureB } = (await run('register', register(surroundings, wallet))).answer.receipt;
    for (const role of ['deriver-a', 'deriver-b']) {
      expect(stored.get(role)).toContain(toHex(signatureA));
      expect(stored.get(role)).toContain(toHex(signatureB));
    }
  });

  test('replays to the byte', async () => {
    const lines = async (): Promise<readonly string[]> => {
      const trace: string[] = [];
      const { run, surroundings, wallet } = openScene('replay', { trace: (line) => trace.push(line) });
      const { answer } = await run('register', register(surroundings, wallet));
      return [...trace, toHex(answer.packageA), toHex(answer.receipt.payload)];
    };
    expect(await lines()).toEqual(await lines());
  });
});
