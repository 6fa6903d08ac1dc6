import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Person } from './person.ts';
import { Place } from './place.ts';

let place: Place;
let axe: string;

beforeAll(async () => {
  place = await Place.open();
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
});

afterAll(async () => {
  await place.close();
});

/** What axe finds wrong with the page as it stands, by the rules of WCAG 2.2 A and AA and its own best practices. */
async function violations({ page }: Person, rules = ''): Promise<readonly string[]> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.evaluate(axe);
  const { violations: found } = (await page.evaluate(`axe.run(${rules})`)) as AxeResults;
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target.join(' ')}: ${failureSummary}`),
  );
}

/** The same page in both themes; of the second, only what depends on colours. */
async function violationsInBothThemes(person: Person): Promise<readonly string[]> {
  await person.page.emulateMedia({ colorScheme: 'light' });
  const light = await violations(person);
  await person.page.emulateMedia({ colorScheme: 'dark' });
  return [...light, ...(await violations(person, '{ runOnly: ["color-contrast"] }'))];
}

async function unfoldAll({ page }: Person): Promise<void> {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true;
  });
}

describe('every screen', () => {
  it('has labels, names, roles and contrast in both themes, and so has a question', async () => {
    const anna = await place.device();
    expect(await violationsInBothThemes(anna)).toEqual([]);
    await anna.press('Recover with your phrase');
    expect(await violationsInBothThemes(anna)).toEqual([]);
    await anna.press('Back');
    await anna.press('Link this device to a wallet');
    await anna.page.getByRole('img', { name: 'QR code' }).waitFor();
    expect(await violationsInBothThemes(anna)).toEqual([]);
    await anna.press('Back');
    await anna.writePhraseDown();
    expect(await violationsInBothThemes(anna)).toEqual([]);
    await anna.press('Create with a passkey');
    await anna.seesWallet();
    await anna.sign('hello');
    await unfoldAll(anna);
    await anna.press('Show the devices');
    await anna.page.locator('[data-lane]').waitFor();
    await anna.press('Show the ways in');
    await anna.page.locator('[data-credential]').first().waitFor();
    await anna.press('Unlock and export');
    await anna.page.locator('.secret').waitFor();
    await unfoldAll(anna);
    expect(await violationsInBothThemes(anna)).toEqual([]);
    await anna.press('Forget on this device');
    expect(await violationsInBothThemes(anna)).toEqual([]);
  });

  it('speaks Japanese to whoever prefers it, on a phone', async () => {
    const anna = await place.device({ locale: 'ja-JP' });
    await anna.page.setViewportSize({ width: 360, height: 740 });
    await anna.page.getByRole('heading', { name: '誰も持たない鍵' }).waitFor();
    expect(await anna.page.locator('html').getAttribute('lang')).toBe('ja');
    await anna.press('ウォレットを作る');
    await anna.page.getByLabel('24語すべてを書き留めました').check();
    await anna.press('パスキーで作成する');
    await anna.sees(anna.page.getByRole('heading', { name: 'あなたのウォレット' }));
    await unfoldAll(anna);
    expect(await violationsInBothThemes(anna)).toEqual([]);
    const overflow = await anna.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(overflow).toBe(0);
    await anna.page.getByLabel('言語').selectOption('English');
    await anna.page.getByRole('heading', { name: 'Your wallet' }).waitFor();
    await anna.page.reload();
    await anna.page.getByRole('heading', { name: 'Your wallet' }).waitFor();
  });

  it('is worked with the keyboard alone', async () => {
    const anna = await place.device();
    const { keyboard } = anna.page;
    const focused = (): Promise<string> => anna.page.evaluate(() => document.activeElement?.textContent ?? '');
    const tabTo = async (name: string): Promise<void> => {
      for (let i = 0; i < 30 && !(await focused()).startsWith(name); i++) await keyboard.press('Tab');
      expect(await focused()).toBe(name);
    };
    await anna.page.getByRole('heading', { name: 'A key that nobody holds' }).waitFor();
    await keyboard.press('Tab');
    expect(await focused()).toBe('Skip to the wallet');
    await keyboard.press('Enter');
    await tabTo('Create a wallet');
    await keyboard.press('Enter');
    expect(await focused()).toBe('Your recovery phrase');
    await keyboard.press('Tab');
    await keyboard.press('Tab');
    await keyboard.press('Space');
    await tabTo('Create with a passkey');
    await keyboard.press('Enter');
    await anna.seesWallet();
    await expect.poll(focused).toBe('Your wallet');
    const isAtMessage = (): Promise<boolean> => anna.page.evaluate(() => document.activeElement?.id === 'message');
    for (let i = 0; i < 10 && !(await isAtMessage()); i++) await keyboard.press('Tab');
    await keyboard.type('by hand');
    await tabTo('Sign');
    await keyboard.press('Enter');
    await anna.page.locator('.signature').waitFor();
  });
});

it('violates neither its content security policy nor itself', () => {
  expect(place.complaints).toEqual([]);
});
