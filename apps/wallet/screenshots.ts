import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { Place } from './test/place.ts';

const HELP = `node tools/ensure.mjs apps/wallet/screenshots.ts [--folder <folder>]

Leads wallets through the page on real roles and takes the pictures that the documents show. Japanese needs a Japanese font.

  --folder  where the pictures go; default docs/images
`;

const DESKTOP = { width: 1280, height: 1000 };
const REFRESHES = 12;
const PHONE = { width: 390, height: 844 };

const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: path.join(import.meta.dirname, '..', '..', 'docs', 'images') },
    help: { type: 'boolean' },
  },
});

async function take(page: Page, name: string): Promise<void> {
  await page.evaluate(() => scrollTo(0, 0));
  await page.screenshot({ path: path.join(values.folder, `${name}.png`) });
}

/** The wallet after a refresh, whose ceremony is drawn beside it. */
async function wallet(place: Place): Promise<void> {
  const anna = await place.device();
  const { page } = anna;
  await page.setViewportSize(DESKTOP);
  await anna.create();
  // The first ceremony also pairs the Derivers and compiles code; of the others the one that the machine disturbed least is drawn.
  const refresh = await anna.part('refresh');
  for (let i = 1; i <= REFRESHES; i++) {
    await anna.press('Refresh now');
    await anna.sees(page.getByText(`this is renewal ${i}`));
  }
  await refresh.locator('summary').click();
  await anna.sign('Hello');
  const choice = page.getByLabel('Recorded action');
  const labels = await choice.locator('option').allTextContents();
  const refreshes = labels.filter((label) => label.includes('Refresh'));
  const took = (label: string): number => Number(/([\d,]+) ms/.exec(label)?.[1]?.replaceAll(',', ''));
  await choice.selectOption({ label: refreshes.toSorted((left, right) => took(left) - took(right))[0] ?? '' });
  await take(page, 'wallet');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.getByLabel('Only between the Derivers').check();
  await page.locator('.player').screenshot({ path: path.join(values.folder, 'ceremony-dark.png') });
}

/** A phone that is being linked, in Japanese. */
async function phone(place: Place): Promise<void> {
  const berta = await place.device({ locale: 'ja-JP' });
  await berta.page.setViewportSize(PHONE);
  await berta.press('この端末をウォレットに追加する');
  await berta.page.locator('.qr').waitFor();
  await take(berta.page, 'phone-ja');
}

async function main(): Promise<void> {
  if (values.help) return void process.stdout.write(HELP);
  await mkdir(values.folder, { recursive: true });
  const place = await Place.open();
  try {
    await wallet(place);
    await phone(place);
  } finally {
    await place.close();
  }
}

await main();
