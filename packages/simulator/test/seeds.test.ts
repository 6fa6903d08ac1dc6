import { expect, test } from 'vitest';
import { simulate } from '../src/simulate.ts';

test('every invariant holds under the first seeds', async () => {
  const failed: unknown[] = [];
  for (let seed = 1; seed <= 12; seed++) {
    const { violation, faults } = await simulate({ seed });
    if (violation) failed.push({ seed, faults, violation: violation.message });
  }
  expect(failed).toEqual([]);
});

test('a seed replays to the event, whatever went wrong in it', async () => {
  const traceOf = async (): Promise<readonly string[]> => {
    const lines: string[] = [];
    await simulate({ seed: 5, trace: (line) => lines.push(line) });
    return lines;
  };
  const first = await traceOf();
  expect(first.some((line) => line.includes('crashes'))).toBe(true);
  expect(await traceOf()).toEqual(first);
});
