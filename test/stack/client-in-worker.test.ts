import path from 'node:path';
import { ed25519 } from '@noble/curves/ed25519.js';
import { fromHex, toHex, utf8 } from '@streaming-yao/core';
import { COMPATIBILITY } from '@streaming-yao/workers/compatibility';
import { Miniflare } from 'miniflare';
import { expect, test } from 'vitest';
import { bundleWorker } from '../../tools/bundle.ts';
import { pinsText } from '../../tools/keys.ts';
import { sharedStack } from './shared-stack.ts';

const shared = sharedStack();

test('the client library runs in a Worker: a key is made, used, renewed and exported', async () => {
  const { code, wasm } = await bundleWorker(path.join(import.meta.dirname, 'fixtures', 'wallet-worker.ts'));
  const app = new Miniflare({
    compatibilityDate: COMPATIBILITY.date,
    compatibilityFlags: [...COMPATIBILITY.flags],
    modules: [
      { type: 'ESModule', path: 'worker.js', contents: code },
      ...[...wasm].map(([name, contents]) => ({ type: 'CompiledWasm' as const, path: name, contents })),
    ],
    bindings: { ROUTER: shared.stack.routerUrl, PINS: pinsText(shared.stack.pins) },
    cf: false,
  });
  try {
    const answer = await (await app.dispatchFetch('http://app.example/')).json();
    const { publicKey, signatures, key } = answer as { publicKey: string; signatures: readonly string[]; key: string };
    expect(toHex(ed25519.getPublicKey(fromHex(key)))).toBe(publicKey);
    expect(signatures).toHaveLength(3);
    for (const signature of signatures)
      expect(ed25519.verify(fromHex(signature), utf8('signed in a Worker'), fromHex(publicKey))).toBe(true);
  } finally {
    await app.dispose();
  }
});
