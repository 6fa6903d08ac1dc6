import { hostedBill, totalOf, USAGE_FIELDS } from '../cost/model.ts';
import { readPrices } from '../cost/prices.ts';
import { exact, type Figure, type Progress } from '../figure.ts';
import { measureUsage } from './usage.ts';

const ROUNDS = 32;

/** What one operation uses of the hosted platform beside CPU, and what a million cost at the snapshot's prices. */
export async function hostedFigures(progress: Progress): Promise<readonly Figure[]> {
  const prices = await readPrices();
  return Object.entries(await measureUsage(ROUNDS, progress)).flatMap(([operation, usage]) => [
    ...USAGE_FIELDS.map((name) => exact(`hosted_${operation}_${snakeCase(name)}`, unitOf(name), usage[name], ROUNDS)),
    exact(`hosted_${operation}_usd_per_million`, 'USD', totalOf(hostedBill(usage, prices)), ROUNDS),
  ]);
}

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function unitOf(name: string): string {
  if (name.endsWith('Ms')) return 'ms';
  return name.endsWith('Bytes') ? 'bytes' : '';
}
