import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { costUsdPerMillion, hostedBill, totalOf } from '../../bench/cost/model.ts';
import { readPrices } from '../../bench/cost/prices.ts';
import { repository } from '../bundle.ts';

const prices = await readPrices();

describe('the cost model', () => {
  it("is the public reference's", () => {
    expect(costUsdPerMillion(393.2, prices).toFixed(2)).toBe('8.16');
    expect(costUsdPerMillion(226.3 + 167, prices)).toBeCloseTo(8.166, 9);
  });

  it('bills each use by hand', () => {
    const usage = {
      ...{ requests: 2, objectRequests: 3, objectMessages: 40, objectActiveMs: 500, objectRowsRead: 10, objectRowsWritten: 7 },
      ...{ databaseRowsRead: 20, databaseRowsWritten: 3, objectBytes: 5_000, databaseBytes: 1_000 },
    };
    const bill = hostedBill(usage, prices);
    // 2 × 0.30; (3 + 40/20) × 0.15; 0.5 s × 0.128 GB × 12.5; rows; 5 GB × 0.20 and 1 GB × 0.75 for a million.
    const byHand = [0.6, 0.75, 0.8, 0.01, 7, 0.02, 3, 1, 0.75];
    expect(Object.values(bill)).toHaveLength(byHand.length);
    Object.values(bill).forEach((usd, i) => {
      expect(usd).toBeCloseTo(byHand[i] ?? 0, 9);
    });
    expect(totalOf(bill)).toBeCloseTo(13.93, 9);
  });
});

describe('npm run cost', () => {
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, ['bench/cost.ts', ...args], { cwd: repository, encoding: 'utf8' });

  it('gives the figure of the reference, and its data', () => {
    const { status, stdout, stderr } = run('--a-cpu-ms', '226.3', '--b-cpu-ms', '167.0', '--json');
    expect([status, stderr]).toEqual([0, expect.stringContaining('$8.166 for a million')]);
    expect(JSON.parse(stdout)).toEqual({ pricesOf: '2026-07-17', aCpuMs: 226.3, bCpuMs: 167, usdPerMillion: 8.166 });
  });

  it('takes other prices, and refuses what is not a snapshot or a number', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'streaming-yao-prices-'));
    const file = path.join(folder, 'prices.json');
    const cpu = ['--a-cpu-ms', '5', '--b-cpu-ms', '5'];
    writeFileSync(
      file,
      JSON.stringify({ ...prices, date: '2027-01-01', workers: { ...prices.workers, usdPerMillionCpuMs: 0.04 } }),
    );
    expect(run(...cpu, '--prices', file).stdout).toContain(
      '$0.700 for a million ceremonies of 5 + 5 ms CPU, at the prices of 2027-01-01',
    );
    writeFileSync(file, JSON.stringify({ ...prices, rows: { usdPerMillionRead: 1 } }));
    expect(run(...cpu, '--prices', file).stderr).toContain(
      'rows: expected exactly the fields usdPerMillionRead, usdPerMillionWritten',
    );
    writeFileSync(file, JSON.stringify({ ...prices, date: 'today' }));
    expect(run(...cpu, '--prices', file).stderr).toContain('date is not like');
    expect([run().status, run('--a-cpu-ms', '-1', '--b-cpu-ms', '1').status]).toEqual([1, 1]);
    rmSync(folder, { recursive: true });
  });
});
