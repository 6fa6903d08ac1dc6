import type { Request, Route } from 'playwright-core';
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

const CEREMONIES = '**/v1/ceremonies';

/** A request that got no answer is sent once more by itself; whoever has lost both hears of it. */
const SENDINGS = 2;

/** Lets the next requests for a ceremony through and loses their answers. @returns the bodies of all ceremonies that are asked for */
async function loseAnswers({ page }: Person, times: number): Promise<readonly string[]> {
  const asked: string[] = [];
  page.on('request', (request: Request) => {
    if (request.url().endsWith('/v1/ceremonies')) asked.push(request.postData() ?? '');
  });
  await page.route(
    CEREMONIES,
    async (route: Route) => {
      await route.fetch();
      await route.abort('internetdisconnected');
    },
    { times },
  );
  return asked;
}

/** How often the Router has run a ceremony for the wallet at an address. */
async function ceremonies(): Promise<number> {
  return (await place.stack.roles.router.query('SELECT DISTINCT ceremony_id FROM audit WHERE ceremony_id IS NOT NULL')).length;
}

describe('a passkey', () => {
  it('without PRF makes no wallet, and the phrase alone does', async () => {
    const anna = await place.device({ hasPrf: false });
    const phrase = await anna.writePhraseDown();
    await anna.press('Create with a passkey');
    await anna.fails('prf_unavailable');
    await anna.press('Create with the phrase alone');
    await anna.seesWallet();
    await anna.page.reload();
    await anna.seesWallet();
    await anna.part('refresh');
    await anna.press('Refresh now');
    await anna.page.getByRole('dialog').getByLabel('Recovery phrase').fill(phrase);
    await anna.consent('Unlock');
    await anna.sees(anna.page.getByText('this is renewal 1'));
  });

  it('whose PRF has changed unlocks nothing and overwrites nothing', async () => {
    const [anna, berta] = [await place.device(), await place.device()];
    const phrase = await anna.create();
    const address = await anna.address('solana');
    await anna.page.reload();
    await anna.seesWallet();
    await anna.changePrf();
    await anna.part('refresh');
    await anna.press('Refresh now');
    await anna.fails('unlock_failed');
    expect(signedBy(address, 'as before', await anna.sign('as before'))).toBe(true);
    await berta.recover(phrase, true);
    await berta.seesWallet();
    expect(await berta.address('solana')).toBe(address);
    expect(signedBy(address, 'still', await anna.sign('still'))).toBe(true);
  });

  it('that is declined leaves nothing half made, before or after it is there', async () => {
    const anna = await place.device();
    await anna.writePhraseDown();
    await anna.closesPrompts('create');
    await anna.press('Create with a passkey');
    await anna.fails('approval_declined');
    expect(await anna.passkeys()).toBe(0);
    await anna.closesPrompts('get');
    await anna.press('Try again');
    await expect.poll(() => anna.passkeys()).toBe(1);
    await anna.fails('approval_declined');
    await anna.closesPrompts();
    await anna.press('Try again');
    await anna.seesWallet();
    expect(await anna.passkeys()).toBe(1);
    const part = await anna.part('credentials');
    await anna.press('Show the ways in');
    await part.locator('[data-credential]').first().waitFor();
    expect(await part.locator('[data-credential]').count()).toBe(2);
  });

  it('is not made twice on one authenticator, and once on another', async () => {
    const anna = await place.device();
    await anna.create();
    const part = await anna.part('credentials');
    await anna.press('Add a passkey');
    await anna.fails('invalid_request');
    expect(await anna.passkeys()).toBe(1);
    const { done } = await anna.reachesForSecondAuthenticator();
    // The new passkey is asked first; the wallet's other one only after the next request for the authority.
    let requests = 0;
    await anna.page.route('**/v1/lanes', async (route) => {
      if (++requests > 1) await done;
      await route.continue();
    });
    await anna.press('Try again');
    await anna.sees(part.getByText('The passkey is added.'));
    expect(await anna.passkeys()).toBe(1);
    await anna.press('Show the ways in');
    await part.locator('[data-credential]').first().waitFor();
    expect(await part.locator('[data-credential]').count()).toBe(3);
  });
});

describe('a ceremony that is cut off', () => {
  it('by one lost answer goes on by itself, with the very same request', async () => {
    const anna = await place.device();
    const asked = await loseAnswers(anna, 1);
    await anna.create();
    expect([asked.length, new Set(asked).size]).toEqual([SENDINGS, 1]);
    expect(signedBy(await anna.address('solana'), 'whole', await anna.sign('whole'))).toBe(true);
  });

  it('by a lost connection is taken up with the very same request', async () => {
    const anna = await place.device();
    const asked = await loseAnswers(anna, SENDINGS);
    await anna.writePhraseDown();
    await anna.press('Create with a passkey');
    await anna.fails('peer_failed');
    const before = await ceremonies();
    await anna.press('Try again');
    await anna.seesWallet();
    expect([asked.length, new Set(asked).size, (await ceremonies()) - before]).toEqual([SENDINGS + 1, 1, 0]);
    const address = await anna.address('solana');
    expect(signedBy(address, 'whole', await anna.sign('whole'))).toBe(true);
  });

  it('by a reload is taken up by the page itself', async () => {
    const anna = await place.device();
    await anna.create();
    const address = await anna.address('solana');
    await anna.part('refresh');
    const asked: string[] = [];
    let arrived = (): void => undefined;
    const underway = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    await anna.page.route(
      CEREMONIES,
      async (route) => {
        asked.push(route.request().postData() ?? '');
        await route.fetch();
        arrived();
      },
      { times: 1 },
    );
    anna.page.on('request', (request) => request.url().endsWith('/v1/ceremonies') && asked.push(request.postData() ?? ''));
    await anna.press('Refresh now');
    await underway;
    await anna.page.reload();
    await anna.seesWallet();
    expect(new Set(asked).size).toBe(1);
    const devices = await anna.part('devices');
    await anna.press('Show the devices');
    await anna.sees(devices.getByText('epoch 2'));
    expect(signedBy(address, 'renewed', await anna.sign('renewed'))).toBe(true);
  });

  it('while recovering is taken up by the page itself', async () => {
    const [anna, berta] = [await place.device(), await place.device()];
    const phrase = await anna.create();
    await loseAnswers(berta, SENDINGS);
    await berta.recover(phrase);
    await berta.fails('peer_failed');
    await berta.page.reload();
    await berta.seesWallet();
    expect(signedBy(await anna.address('solana'), 'here', await berta.sign('here'))).toBe(true);
  });
});

describe('a device that is offline', () => {
  it('says so, and goes on when it is back', async () => {
    const anna = await place.device();
    await anna.create();
    await anna.context.setOffline(true);
    await anna.askToSign('later');
    await anna.fails('peer_failed');
    await anna.context.setOffline(false);
    await anna.press('Try again');
    const signature = anna.page.locator('.signature');
    await anna.sees(signature);
    expect(signedBy(await anna.address('solana'), 'later', (await signature.textContent()) ?? '')).toBe(true);
  });
});

describe('a role behind the Router that is down', () => {
  it('is named, and the wallet goes on when it is back', async () => {
    const anna = await place.device();
    await anna.create();
    const role = place.stack.roles['signing-worker'];
    await role.down();
    await anna.askToSign('later');
    await anna.fails('peer_failed');
    await anna.sees(anna.page.getByText('SigningWorker cannot be reached or broke off'));
    await role.up();
    await anna.press('Try again');
    await anna.sees(anna.page.locator('.signature'));
  });
});

describe('two tabs', () => {
  it('share one wallet: one signs with the share that the other has renewed', async () => {
    const anna = await place.device();
    const second = await anna.context.newPage();
    anna.watch(second);
    await second.goto(place.url);
    await second.getByRole('heading', { name: 'A key that nobody holds' }).waitFor();
    await anna.create();
    await second.getByRole('heading', { name: 'Your wallet' }).waitFor();
    const address = await anna.address('solana');
    expect(signedBy(address, 'before', await anna.sign('before', second))).toBe(true);
    await anna.part('refresh');
    await anna.press('Refresh now');
    await anna.sees(anna.page.getByText('this is renewal 1'));
    const both = await Promise.all([anna.sign('first tab'), anna.sign('second tab', second)]);
    expect([signedBy(address, 'first tab', both[0]), signedBy(address, 'second tab', both[1])]).toEqual([true, true]);
    await anna.part('forget');
    await anna.press('Forget on this device');
    await anna.consent('Forget on this device');
    await second.getByRole('heading', { name: 'A key that nobody holds' }).waitFor();
  });
});

it('violates neither its content security policy nor itself', () => {
  expect(place.complaints).toEqual([]);
});
