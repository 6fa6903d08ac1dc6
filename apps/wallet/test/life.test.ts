import { createPrivateKey, createPublicKey } from 'node:crypto';
import { base58 } from '@scure/base';
import { ed25519Credential, memoryStorage, Wallet, type WalletOptions } from '@streaming-yao/client';
import { loadGroup } from '@streaming-yao/client/node';
import { SecretBytes, toHex } from '@streaming-yao/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signedBy } from './check.ts';
import type { Person } from './person.ts';
import { Place } from './place.ts';

let place: Place;

beforeAll(async () => {
  place = await Place.open();
});

afterAll(async () => {
  await place.close();
});

describe('a wallet in a browser', () => {
  let anna: Person;
  let address: string;

  beforeAll(async () => {
    anna = await place.device();
    await anna.create();
    address = await anna.address('solana');
  });

  it('was made with one passkey and two questions, and has the address of Solana and of NEAR', async () => {
    expect(await anna.passkeys()).toBe(1);
    expect(await anna.prompts()).toEqual(['create', 'get']);
    expect(await anna.address('near')).toBe(toHex(base58.decode(address)));
  });

  it('shows every message of its ceremony with the bytes that were counted', async () => {
    const panel = anna.page.locator('.ceremony');
    await panel.getByText('Garbled tables: 27 frames').waitFor();
    await panel.getByText('All messages as a table').click();
    const rows = await panel.getByRole('region', { name: 'All messages' }).getByRole('row').allTextContents();
    const bytesBetween = (from: string, to: string): number =>
      rows
        .filter((row) => row.includes(`${from}${to}`))
        .reduce((sum, row) => sum + Number((/([\d,]+) B$/.exec(row)?.[1] ?? '').replaceAll(',', '')), 0);
    const stated = (await panel.locator('.fact').first().textContent()) ?? '';
    const [toB, toA] = [...stated.matchAll(/([\d,]+) B/g)].map(([, digits = '']) => Number(digits.replaceAll(',', '')));
    expect(toB).toBeGreaterThan(1_700_000);
    expect([bytesBetween('Deriver A', 'Deriver B'), bytesBetween('Deriver B', 'Deriver A')]).toEqual([toB, toA]);
    expect(await panel.locator('.strip .cells .evaluated').count()).toBe(27);
    const moment = panel.getByLabel('Moment of the ceremony');
    await moment.fill('0');
    expect(await panel.locator('.strip .cells .evaluated').count()).toBe(0);
    await anna.press('Play', panel);
    await expect.poll(async () => Number(await moment.inputValue())).toBeGreaterThan(0);
    await anna.press('Pause', panel);
  });

  it('signs what its address verifies, without a Deriver', async () => {
    const [first, second] = [await anna.sign('one'), await anna.sign('two')];
    expect([signedBy(address, 'one', first), signedBy(address, 'two', second), signedBy(address, 'one', second)]).toEqual([
      true,
      true,
      false,
    ]);
    await anna.page.getByText('The Derivers took no part in this action.').waitFor();
  });

  it('shows its owner what the Router has noted', async () => {
    const part = await anna.part('audit');
    await anna.press('Show the audit trail');
    const row = part.getByRole('row').filter({ hasText: 'created' });
    await row.waitFor();
    expect(await row.getByRole('cell').nth(1).textContent()).toBe('created');
    expect(await row.getByRole('cell').nth(3).textContent()).toBe('ok');
  });

  it('leaves in every format, each the same key, hidden until it is asked for', async () => {
    const part = await anna.part('export');
    const secret = part.locator('.secret');
    const exported = async (format: string): Promise<string> => {
      await part.getByLabel('Format').selectOption(format);
      await anna.press('Unlock and export');
      await anna.sees(secret);
      expect(await anna.prompts()).toEqual(['get']);
      expect(await secret.textContent()).toBe('The key is here, hidden.');
      await anna.press('Show the key');
      const key = (await secret.textContent()) ?? '';
      await anna.press('Copy', part);
      expect(await anna.page.evaluate(() => navigator.clipboard.readText())).toBe(key);
      await anna.press('Remove it from the page');
      await secret.waitFor({ state: 'detached' });
      return key;
    };
    const pair = base58.decode(await exported('solana-base58'));
    const seed = pair.subarray(0, 32);
    expect(base58.encode(pair.subarray(32))).toBe(address);
    expect(JSON.parse(await exported('solana-json'))).toEqual([...pair]);
    expect(await exported('near')).toBe(`ed25519:${base58.encode(pair)}`);
    expect(await exported('seed-hex')).toBe(toHex(seed));
    expect(Buffer.from(await exported('pkcs8-der'), 'base64').subarray(-32)).toEqual(Buffer.from(seed));
    const ofPem = createPublicKey(createPrivateKey(await exported('pkcs8-pem'))).export({ format: 'jwk' }).x;
    expect(ofPem).toBe(Buffer.from(pair.subarray(32)).toString('base64url'));
    expect(await exported('openssh')).toContain('BEGIN OPENSSH PRIVATE KEY');
  });

  it('keeps its address through a refresh and a reload, and tells till then that a new key has to be derived twice', async () => {
    const again = anna.page.getByRole('button', { name: 'Derive it again' });
    await again.waitFor();
    await anna.part('refresh');
    await anna.press('Refresh now');
    await anna.sees(anna.page.getByText('this is renewal 1'));
    await again.waitFor({ state: 'detached' });
    await anna.page.reload();
    await anna.seesWallet();
    expect(await anna.address('solana')).toBe(address);
    expect(signedBy(address, 'after', await anna.sign('after'))).toBe(true);
    expect(await again.count()).toBe(0);
  });

  it('is found again by its passkey after the device has forgotten it', async () => {
    await anna.part('forget');
    await anna.press('Forget on this device');
    await anna.consent('Forget on this device');
    await anna.prompts();
    await anna.press('Open with a passkey');
    await anna.seesWallet();
    // Once to tell the wallet, once for the share of this device.
    expect(await anna.prompts()).toEqual(['get', 'get']);
    expect(await anna.address('solana')).toBe(address);
    expect(signedBy(address, 'again', await anna.sign('again'))).toBe(true);
  });
});

describe('two devices', () => {
  it('recovers from the phrase on another device, which ends the first one’s share and takes a passkey of its own', async () => {
    const [anna, berta] = [await place.device(), await place.device()];
    const phrase = await anna.create();
    const address = await anna.address('solana');
    await berta.recover(phrase);
    await berta.seesWallet();
    expect(await berta.address('solana')).toBe(address);
    expect(signedBy(address, 'mine', await berta.sign('mine'))).toBe(true);
    await anna.askToSign('theirs');
    await anna.fails('epoch_retired');
    await berta.part('credentials');
    await berta.press('Add a passkey');
    await berta.sees(berta.page.getByText('The passkey is added.'));
    await berta.page.reload();
    await berta.seesWallet();
    await berta.part('refresh');
    await berta.press('Refresh now');
    await berta.sees(berta.page.getByText('this is renewal 1'));
  });

  it('are linked by what they show each other, sign alike, and part again', async () => {
    const [anna, berta] = [await place.device(), await place.device()];
    await anna.create();
    const address = await anna.address('solana');
    await berta.press('Link this device to a wallet');
    const word = await berta.page.locator('.check-word strong').textContent();
    const copied = async (): Promise<string> => berta.page.evaluate(() => navigator.clipboard.readText());
    await berta.press('Copy the link');
    await anna.page.goto(await copied());
    await anna.sees(anna.page.getByText(`check word ${word}`));
    await anna.press('Approve the device');
    await anna.sees(anna.page.getByText('Show this answer to the new device'));
    await anna.press('Copy the link');
    await berta.page.goto(await anna.page.evaluate(() => navigator.clipboard.readText()));
    await berta.seesWallet();
    expect(await berta.address('solana')).toBe(address);
    const both = [await anna.sign('from the first'), await berta.sign('from the second')] as const;
    expect([signedBy(address, 'from the first', both[0]), signedBy(address, 'from the second', both[1])]).toEqual([true, true]);
    expect(await berta.page.locator('[data-part="export"]').count()).toBe(0);

    const devices = await anna.part('devices');
    await anna.press('Show the devices');
    await anna.press('Remove device share 2', devices);
    await anna.consent('Remove');
    await devices.getByText('signs nothing any more').waitFor();
    await berta.askToSign('too late');
    await berta.page.locator('.failure').waitFor();
    expect(signedBy(address, 'still here', await anna.sign('still here'))).toBe(true);
  });

  it('do not let a removed way in come back', async () => {
    const [anna, berta] = [await place.device(), await place.device()];
    const phrase = await anna.create();
    const part = await anna.part('credentials');
    await anna.press('Show the ways in');
    await anna.press('Remove Recovery phrase', part);
    await anna.consent('Remove');
    await part.getByText('Every role refuses it').waitFor();
    await berta.recover(phrase);
    await berta.fails('authorization_invalid');
    await berta.page.reload();
    await berta.page.getByRole('heading', { name: 'A key that nobody holds' }).waitFor();
  });
});

describe('the Router', () => {
  const device = async (walletId: string, options: Partial<WalletOptions> = {}): Promise<Wallet> => {
    const group = loadGroup();
    const credential = ed25519Credential(group, SecretBytes.own(crypto.getRandomValues(new Uint8Array(32))), 'device', 'test');
    const { routerUrl: router, pins } = place.stack;
    return new Wallet({
      router,
      pins,
      walletId,
      storage: memoryStorage(),
      credential,
      group,
      secondDerivation: false,
      ...options,
    });
  };

  it('tells which messages passed the roles only where it is asked', async () => {
    const plain = await (await device('plain')).register();
    expect(plain.answer.timelines).toEqual([]);
    const { answer } = await (await device('watched', { timeline: true })).register();
    expect(answer.timelines.map(({ role }) => role)).toEqual(['router', 'deriver-a', 'deriver-b']);
    const bytes = (at: number, direction: string): number =>
      (answer.timelines[at]?.passages ?? []).reduce((sum, one) => sum + (one.direction === direction ? one.bytes : 0), 0);
    const { aToB, bToA } = answer.traffic;
    // B answers when it has offered the receipt; the cosignature reaches it afterwards.
    const cosignature = 115;
    expect([bytes(1, 'sent'), bytes(1, 'received')]).toEqual([aToB, bToA]);
    expect([bytes(2, 'sent'), bytes(2, 'received')]).toEqual([bToA, aToB - cosignature]);
  });

  it('shows a wallet’s audit trail to its owner, newest first, and to nobody else', async () => {
    const owner = await device('audited');
    await owner.register();
    await owner.refresh();
    expect((await owner.audit()).map(({ event, outcome }) => [event, outcome])).toEqual([
      ['refresh', 'ok'],
      ['register', 'ok'],
    ]);
    await expect((await device('audited')).audit()).rejects.toMatchObject({ code: 'authorization_invalid' });
    await expect((await device('unheard-of')).audit()).rejects.toMatchObject({ code: 'unknown_wallet' });
  });
});

it('runs nothing that its policy forbids', async () => {
  const anna = await place.device();
  const ran = await anna.page.evaluate(async () => {
    const refused = [];
    const attempts = {
      inline: () => document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.ran = true' })),
      markup: () => document.body.insertAdjacentHTML('beforeend', '<p>markup</p>'),
      elsewhere: () => fetch('http://localhost:1/'),
    };
    for (const [name, attempt] of Object.entries(attempts)) {
      try {
        await attempt();
      } catch {
        refused.push(name);
      }
    }
    return { refused, ran: 'ran' in window };
  });
  expect(ran).toEqual({ refused: ['inline', 'markup', 'elsewhere'], ran: false });
  expect(anna.complaints.splice(0)).not.toEqual([]);
});

it('violates neither its content security policy nor itself', () => {
  expect(place.complaints).toEqual([]);
});
