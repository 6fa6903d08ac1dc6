import { describe, expect, it } from 'vitest';
import { hostedBill } from '../../bench/cost/model.ts';
import { readPrices } from '../../bench/cost/prices.ts';
import { type MeteredOperation, measureUsage } from '../../bench/hosted/usage.ts';

/** Requests of clients, of objects, messages of objects, rows read and written in objects, rows written in D1. */
const EXPECTED: Readonly<Record<MeteredOperation, readonly (number | 'varies')[]>> = {
  // How many objects a new wallet is the first in varies, and with it the rows.
  register: [3, 9, 34, 'varies', 'varies', 3],
  refresh: [2, 8, 34, 51, 42, 3],
  recover: [5, 10, 34, 58, 44, 3],
  export: [1, 4, 5, 24, 26, 3],
  // Only the trail writes: a row and its places in two indexes.
  sign: [1, 1, 0, 0, 0, 3],
};

describe('what one operation uses of the hosted platform', () => {
  it('is counted by the roles themselves, and costs what the prices say', async () => {
    const prices = await readPrices();
    const usage = await measureUsage(2, () => undefined);
    for (const [operation, expected] of Object.entries(EXPECTED)) {
      const used = usage[operation as MeteredOperation];
      const { requests, objectRequests, objectMessages, objectRowsRead, objectRowsWritten, databaseRowsWritten } = used;
      const counted = [requests, objectRequests, objectMessages, objectRowsRead, objectRowsWritten, databaseRowsWritten];
      expect([operation, ...counted.map((count, i) => (expected[i] === 'varies' ? 'varies' : count))]).toEqual([
        operation,
        ...expected,
      ]);
      expect(hostedBill(used, prices)['object rows written']).toBe(objectRowsWritten);
    }
    expect(usage.register.objectRowsWritten).toBeGreaterThan(usage.refresh.objectRowsWritten);
    expect(usage.register.objectBytes).toBeGreaterThan(0);
    expect(usage.refresh.objectActiveMs).toBeGreaterThan(0);
  });
});
