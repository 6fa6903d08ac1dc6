import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ed25519 } from '@noble/curves/ed25519.js';
import { fromHex, utf8 } from '@streaming-yao/core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser } from '../../../tools/browser.ts';
import { type Stack, startStack } from '../../../tools/stack.ts';
import { PasskeyDevice } from './passkey-browser.ts';

let folder: string;
let stack: Stack;
let browser: Browser;
const opened: PasskeyDevice[] = [];

async function device(options?: { readonly hasPrf?: boolean }): Promise<PasskeyDevice> {
  const made = await PasskeyDevice.open(browser, stack, options);
  opened.push(made);
  return made;
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'passkeys-'));
  [stack, browser] = await Promise.all([startStack({ folder, endOnSignal: false }), launchBrowser()]);
});

afterAll(async () => {
  for (const each of opened) await each.close();
  await browser?.close();
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('a wallet with a passkey, in Chromium', () => {
  test('asks once for each thing that the user does', async () => {
    const phone = await device();
    expect(await phone.prompts(() => phone.call('open', 'alice'))).toBe(1);
    let publicKey = '';
    expect(await phone.prompts(async () => (publicKey = await phone.call('register')))).toBe(1);
    expect(publicKey).toMatch(/^[0-9a-f]{64}$/);
    let signature = '';
    expect(await phone.prompts(async () => (signature = await phone.call('sign', 'hello')))).toBe(0);
    expect(ed25519.verify(fromHex(signature), utf8('hello'), fromHex(publicKey))).toBe(true);
    await phone.call('lock');
    expect(await phone.prompts(async () => expect(await phone.call('refresh')).toBe(publicKey))).toBe(1);
    expect(await phone.prompts(async () => expect(await phone.call('lanes')).toBe('1.2'))).toBe(0);
    await phone.call('lock');
    let seed = '';
    expect(await phone.prompts(async () => (seed = await phone.call('exportKey')))).toBe(1);
    expect(ed25519.getPublicKey(fromHex(seed))).toEqual(fromHex(publicKey));
    expect(await phone.passkeys()).toBe(1);
  });

  test('finds everything again after a reload, without the user', async () => {
    const laptop = await device();
    await laptop.call('open', 'bob');
    const publicKey = await laptop.call('register');
    await laptop.reload();
    expect(await laptop.prompts(() => laptop.call('open', 'bob'))).toBe(0);
    const signature = await laptop.call('sign', 'again');
    expect(ed25519.verify(fromHex(signature), utf8('again'), fromHex(publicKey))).toBe(true);
    expect(await laptop.call('refresh')).toBe(publicKey);
  });

  test('is recovered on an empty device by a synced passkey, which tells its wallet', async () => {
    const phone = await device();
    await phone.call('open', 'carol');
    const publicKey = await phone.call('register');
    await phone.forget();
    expect(await phone.records()).toEqual([]);
    expect(await phone.prompts(async () => expect(await phone.call('openDiscovered')).toBe('carol'))).toBe(1);
    expect(await phone.prompts(async () => expect(await phone.call('recover')).toBe(publicKey))).toBe(1);
    expect(await phone.call('sign', 'x')).toHaveLength(128);
    expect(await phone.call('lanes')).toBe('2.1');
  });
});
