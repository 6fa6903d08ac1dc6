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

describe('nothing is half made', () => {
  test('when the user declines to make a passkey', async () => {
    const phone = await device();
    await phone.recognize(false);
    expect(await phone.call('open', 'dave')).toBe('approval_declined');
    expect(await phone.passkeys()).toBe(0);
    expect(await phone.records()).toEqual([]);
  });

  test('when the user declines the first use: the next try goes on with the same passkey', async () => {
    const phone = await device();
    await phone.call('open', 'erin');
    await phone.set({ declines: true });
    expect(await phone.call('register')).toBe('approval_declined');
    expect(await phone.records()).toEqual(['passkey/erin']);
    await phone.reload();
    expect(await phone.prompts(() => phone.call('open', 'erin'))).toBe(0);
    expect(await phone.call('register')).toMatch(/^[0-9a-f]{64}$/);
    expect(await phone.passkeys()).toBe(1);
    expect(await phone.call('credentials')).toBe('passkey wallet erin');
  });

  test('when the user declines an export', async () => {
    const phone = await device();
    await phone.call('open', 'frank');
    await phone.call('register');
    const before = await phone.records();
    await phone.recognize(false);
    expect(await phone.call('exportKey')).toBe('approval_declined');
    expect(await phone.call('refresh')).toBe('approval_declined');
    expect(await phone.records()).toEqual(before);
    expect(await phone.call('sign', 'still')).toHaveLength(128);
  });
});

describe('the PRF', () => {
  test('is missing: the passkey is refused before anything is kept, and a phrase does instead', async () => {
    const phone = await device({ hasPrf: false });
    expect(await phone.prompts(async () => expect(await phone.call('open', 'grace')).toBe('prf_unavailable'))).toBe(1);
    expect(await phone.records()).toEqual([]);
    const phrase = await phone.page.evaluate(() => window.passkeyPage.phrase());
    await phone.page.evaluate((words) => window.passkeyPage.openWithPhrase('grace', words), phrase);
    expect(await phone.call('register')).toMatch(/^[0-9a-f]{64}$/);
  });

  test.each([
    ['promised', { enabled: true }, false],
    ['not mentioned', {}, false],
    ['not mentioned, like no extension at all', null, false],
    ['promised and then not given', { enabled: true }, true],
    ['neither mentioned nor given', null, true],
  ] as const)('is %s when the passkey is made', async (_, prfAtCreation, dropPrf) => {
    const phone = await device();
    await phone.set({ prfAtCreation, dropPrf });
    expect(await phone.call('open', `heidi${opened.length}`)).toBe('done');
    expect(await phone.call('register')).toMatch(dropPrf ? /^prf_unavailable$/ : /^[0-9a-f]{64}$/);
    expect((await phone.records()).some((name) => !name.startsWith('passkey/'))).toBe(!dropPrf);
  });

  test('is refused when the passkey is made', async () => {
    const phone = await device();
    await phone.set({ prfAtCreation: { enabled: false } });
    expect(await phone.call('open', 'ivan')).toBe('prf_unavailable');
    expect(await phone.records()).toEqual([]);
  });

  test('gives another value than before: nothing opens, nothing is overwritten', async () => {
    const phone = await device();
    await phone.call('open', 'judy');
    const publicKey = await phone.call('register');
    const before = await phone.records();
    await phone.call('lock');
    await phone.set({ prfMask: 1 });
    for (const operation of ['refresh', 'exportKey', 'recover']) {
      expect([operation, await phone.call(operation)]).toEqual([operation, 'unlock_failed']);
      await phone.call('lock');
    }
    expect(await phone.records()).toEqual(before);
    await phone.set({ prfMask: 0 });
    expect(await phone.call('refresh')).toBe(publicKey);
    await phone.call('lock');
    expect(await phone.call('recover')).toBe(publicKey);
  });
});

describe('several credentials', () => {
  test('a phrase joins and opens the wallet when the passkey is gone', async () => {
    const phone = await device();
    await phone.call('open', 'kim');
    const publicKey = await phone.call('register');
    const phrase = await phone.page.evaluate(() => window.passkeyPage.phrase());
    await phone.call('lock');
    expect(await phone.prompts(async () => expect(await phone.call('addPhrase', phrase)).toBe('done'))).toBe(1);
    expect(await phone.call('credentials')).toBe('passkey wallet kim, ed25519 recovery phrase');

    const other = await device();
    await other.page.evaluate((words) => window.passkeyPage.openWithPhrase('kim', words), phrase);
    expect(await other.call('recover')).toBe(publicKey);
    expect(await other.call('removeFirst')).toBe('done');
    expect(await other.call('credentials')).toBe('ed25519 recovery phrase');
    expect(await phone.call('recover')).toBe('authorization_invalid');
    expect(await other.call('removeFirst')).toBe('invalid_request');
  });

  test('a lane is revoked by one answer of the user', async () => {
    const phone = await device();
    await phone.call('open', 'lena');
    await phone.call('register');
    await phone.call('lock');
    expect(await phone.prompts(async () => expect(await phone.call('revoke', '1')).toBe('done'))).toBe(1);
    expect(await phone.call('sign', 'x')).toBe('epoch_retired');
  });
});
