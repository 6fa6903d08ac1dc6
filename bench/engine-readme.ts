import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ENGINE_FIGURES } from './engine-figures.ts';
import type { Figure } from './figure.ts';
import { TARGETS } from './targets.ts';

const README = path.join(import.meta.dirname, '..', 'packages', 'engine', 'README.md');
const BEGIN = '<!-- figures: begin, written by npm run bench -->';
const END = '<!-- figures: end -->';

const NOTE = `All contestants compute the same function of \`a xor b\`, 32 bytes from each party, and both parties learn the result,
which is checked against \`node:crypto\`. For the speed-ups it is the 251 bits of SHA-512's first half that an RFC 8032 scalar
keeps, because that is the circuit our kernel is made for, and the peers run that very circuit; so both sides save the second half
of the digest, 2 % of the gates. The rows with all 64 bytes use a circuit as the standard writes it, and our plain netlist engine.
**emp-wasm gives security against malicious parties; jigg and this engine do not.** Parsing the circuit is off jigg's clock;
emp-wasm's API parses in each call. jigg's bytes are counted at one a character. Memory is peak resident memory beyond the loaded
process's.`;

const number = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 3 : 1 });

/** Words for units that a bare number does without, or that have a sign. */
const UNITS: Readonly<Record<string, string>> = { ratio: '', t: '', times: '×' };

const quantity = (value: number, unit: string): string => `${number(value)} ${UNITS[unit] ?? unit}`.trimEnd();

function goal(id: string): string {
  const known = TARGETS[id];
  return known ? `${known.atLeast ? '≥' : '≤'} ${number(known.target)}` : '';
}

/**
 * The measured table, one row for each figure of {@link ENGINE_FIGURES}.
 * @throws Error when the figures are not exactly those
 */
export function figuresTable(figures: readonly Figure[]): string {
  const measured = new Map(figures.map((figure) => [figure.id, figure]));
  const unknown = [...measured.keys()].filter((id) => !Object.hasOwn(ENGINE_FIGURES, id));
  if (unknown.length > 0) throw new Error(`bench/engine-figures.ts does not describe ${unknown.join(', ')}`);
  const rows = Object.entries(ENGINE_FIGURES).map(([id, what]) => {
    const figure = measured.get(id);
    if (!figure) throw new Error(`${id} was not measured; run the parts engine and peers`);
    const p95 = figure.p95 === undefined || figure.n < 10 ? '' : number(figure.p95);
    return `| ${what} | ${quantity(figure.value, figure.unit)} | ${p95} | ${goal(id)} | \`${id}\` |`;
  });
  return ['| what | measured | p95 | target | id |', '|---|---|---|---|---|', ...rows].join('\n');
}

/** The text between the markers replaced. @throws Error when the text has no such place */
export function replaceFigures(text: string, figures: string): string {
  const [before, rest = ''] = text.split(`${BEGIN}\n`);
  const after = rest.split(END)[1];
  if (before === undefined || after === undefined) throw new Error('the README has no place for figures');
  return `${before}${BEGIN}\n${figures}\n${END}${after}`;
}

/** Ids of the figures that the README shows, in its order. */
export function shownIds(readme: string): readonly string[] {
  const figures = readme.split(BEGIN)[1]?.split(END)[0] ?? '';
  return [...figures.matchAll(/ \| `(\w+)` \|$/gm)].map(([, id = '']) => id);
}

/** Writes the engine's measured table into its README. */
export async function writeEngineReadme(heading: string, figures: readonly Figure[]): Promise<void> {
  const table = figuresTable(figures);
  const text = await readFile(README, 'utf8');
  await writeFile(README, replaceFigures(text, `${heading}\n\n${table}\n\n${NOTE}`));
}
