import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { xorBytes } from '@streaming-yao/core';
import { circuitFigures, evaluatePacked, readBristol } from '@streaming-yao/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPrices } from '../../bench/cost/prices.ts';
import { ENGINE_FIGURES } from '../../bench/engine-figures.ts';
import { figuresTable, replaceFigures, shownIds } from '../../bench/engine-readme.ts';
import type { Figure } from '../../bench/figure.ts';
import { bitsOf, openWork, writeWork } from '../../bench/peers/work.ts';
import { frontPageRows } from '../../bench/report/front-page.ts';
import { loadPage, readLoadReport } from '../../bench/report/load-page.ts';
import { pagesOf, readReport } from '../../bench/report/pages.ts';
import { largestT, welchT } from '../../bench/welch.ts';
import { repository } from '../bundle.ts';

const readme = readFileSync(path.join(repository, 'packages/engine/README.md'), 'utf8');
const bytes = (text: string): Uint8Array => new Uint8Array(createHash('sha256').update(text).digest());
const figures: readonly Figure[] = Object.keys(ENGINE_FIGURES).map((id, i) => ({ id, value: 1000.5 + i, unit: 'ms', n: 1 }));

describe('the figures of the engine', () => {
  it('are those that its README shows', () => {
    expect(shownIds(readme)).toEqual(Object.keys(ENGINE_FIGURES));
  });

  it('come into the README between the markers, and nothing else changes', () => {
    const [before, after] = [readme.split('<!-- figures: begin')[0], readme.split('<!-- figures: end -->')[1]];
    const written = replaceFigures(readme, figuresTable(figures));
    expect(shownIds(written)).toEqual(Object.keys(ENGINE_FIGURES));
    expect(written).toContain('| 1,000.5 ms |');
    expect([written.split('<!-- figures: begin')[0], written.split('<!-- figures: end -->')[1]]).toEqual([before, after]);
    expect(() => replaceFigures('no markers', '')).toThrow('no place');
  });

  it('are refused when one is missing or not described', () => {
    expect(() => figuresTable(figures.slice(1))).toThrow('and_gates was not measured');
    expect(() => figuresTable([...figures, { id: 'surprise', value: 1, unit: 'ms', n: 1 }])).toThrow('surprise');
  });
});

describe('docs/benchmarks', () => {
  it('is drawn from its data, and from nothing else', async () => {
    const pages = Object.entries(pagesOf(await readReport(), await readPrices()));
    expect(pages.map(([name]) => name)).toEqual(['README.md', 'latency.svg', 'overlap.svg', 'bytes.svg', 'cost.svg']);
    for (const [name, content] of pages) {
      expect([name, readFileSync(path.join(repository, 'docs/benchmarks', name), 'utf8')]).toEqual([name, content]);
    }
  });

  it('tells of a load by its data alone', async () => {
    expect(readFileSync(path.join(repository, 'docs/benchmarks/load.md'), 'utf8')).toBe(loadPage(await readLoadReport()));
  });

  it('has the times that the front page shows', async () => {
    const shown = readFileSync(path.join(repository, 'README.md'), 'utf8').split('\n');
    expect(shown).toEqual(expect.arrayContaining([...frontPageRows(await readReport())]));
  });
});

describe('the work that peers are measured with', () => {
  let folder = '';
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'streaming-yao-bench-test-'));
    for (const name of ['scalar', 'digest'] as const) await writeWork(name, folder);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const inputs = Array.from({ length: 8 }, (_, i) => [bytes(`a ${i}`), bytes(`b ${i}`)] as const);

  it.each([
    ['scalar', 251, 53_753],
    ['digest', 512, 54_867],
  ] as const)('is SHA-512 of the joined inputs in both forms: %s', async (name, bits, and) => {
    const work = openWork(name, folder);
    expect(work.bits).toBe(bits);
    const [both, seed] = [readBristol(await work.ofBoth()), readBristol(await work.ofSeed())];
    expect([circuitFigures(both).and, circuitFigures(seed).and]).toEqual([and, and]);
    const joined = inputs.map(([a, b]) => xorBytes(a, b));
    const expected = joined.map((bytes) => work.expected(bytes));
    const results = [
      evaluatePacked(
        both,
        inputs.map(([a, b]) => Uint8Array.of(...a, ...b)),
      ),
      evaluatePacked(seed, joined),
    ];
    for (const result of results) expect(result.map((packed) => bitsOf(packed).slice(0, bits))).toEqual(expected);
  });

  it('has no gates but those that peers read', async () => {
    const gates = (await openWork('digest', folder).ofBoth()).trimEnd().split('\n').slice(3);
    expect(new Set(gates.map((line) => line.split(' ').at(-1)))).toEqual(new Set(['AND', 'XOR', 'INV']));
  });
});

describe("Welch's t", () => {
  it('is what the formula gives by hand', () => {
    // Means 2 and 5, variances 1 and 4, three samples each: -3 / sqrt(1/3 + 4/3).
    expect(welchT({ fixed: [1, 2, 3], random: [3, 5, 7] })).toBeCloseTo(-3 / Math.sqrt(5 / 3), 12);
  });

  it('sees a small shift in many samples, and none where there is none', () => {
    const noise = (seed: number) => Array.from({ length: 2_000 }, (_, i) => 100 + ((i * 7919 + seed) % 101));
    expect(largestT({ fixed: noise(0), random: noise(50) })).toBeLessThan(4.5);
    expect(largestT({ fixed: noise(0), random: noise(50).map((sample) => sample + 8) })).toBeGreaterThan(4.5);
    expect(largestT({ fixed: noise(0), random: noise(50).map((sample) => sample * 9) })).toBeGreaterThan(100);
  });
});
