import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { exportsOf, statementsOf } from '../api/declarations.ts';
import { readPackages, writeReferences } from '../api/packages.ts';
import { referenceOf } from '../api/reference.ts';
import { repository } from '../bundle.ts';

const packages = readPackages();

describe('the API reference in docs/api', () => {
  it('is what npm run api writes', () => {
    const committed = readdirSync(path.join(repository, 'docs/api')).map((file) => path.join('docs/api', file));
    const texts = committed.map((file) => [file, readFileSync(path.join(repository, file), 'utf8')]);
    expect(Object.fromEntries(texts), 'run npm run api').toEqual(writeReferences(packages));
  });

  it.each(packages)('has a docstring and a declaration for every export of $name', ({ entries }) => {
    const bare = entries.flatMap(({ module, exported }) =>
      exported
        .filter(({ statements }) => !statements.some(({ text, doc }) => doc !== '' && text !== ''))
        .map(({ name }) => `${module}: ${name}`),
    );
    expect(bare).toEqual([]);
  });
});

const A = `/** Of the file. */
import { type Hidden } from './b.ts';
/** A "box" {with} brackets; twice. */
export interface Box {
    #private;
    /** Its size; in bytes } */
    readonly size: 'a;}' | 2;
}
type Local = {
    a: 1;
} /** or */ | 2;
export declare const shape: Local;
export type shape = 3;
export { type Other as Renamed, missing } from './b.ts';
export * from './b.ts';
export { foreign } from 'elsewhere';
`;
const B = `/** Adds. {@link Box}
 * @param left one
 * @throws Error never
 */
export declare function Other(left: number): number;
`;

describe('declarations', () => {
  const exported = exportsOf('a', A, (module) => (module === './b.ts' ? { file: 'b', text: B } : undefined));

  it('are split where the compiler ends them', () => {
    expect(statementsOf(A).map(({ text }) => text.slice(0, 12))).toEqual([
      ...['import { typ', 'export inter', 'type Local =', 'export decla', 'export type '],
      ...['export { typ', 'export * fro', 'export { for'],
    ]);
  });

  it('are found under the names that they are exported by', () => {
    expect(exported.map(({ name, foreign }) => [name, foreign])).toEqual([
      ...[
        ['Box', undefined],
        ['shape', undefined],
        ['Renamed', undefined],
        ['missing', './b.ts'],
        ['Other', undefined],
      ],
      ['foreign', 'elsewhere'],
    ]);
    expect(exported.find(({ name }) => name === 'shape')?.statements.map(({ text }) => text)).toEqual([
      'export declare const shape: Local;',
      'export type shape = 3;',
    ]);
  });

  it('become Markdown with their docstrings', () => {
    const text = referenceOf('x', 'what', [{ module: 'x/y', exported }]);
    expect(text).toContain('* [`x/y`](#xy): 6 names');
    expect(text).toContain(
      '### `Renamed`\n\nAdds. `Box`\n\n* `left`: one\n* Throws: Error never\n\n```ts\nfunction Other(left: number): number;\n```',
    );
    expect(text).toContain(
      '### `Box`\n\nA "box" {with} brackets; twice.\n\n```ts\ninterface Box {\n  /** Its size; in bytes } */',
    );
  });
});
