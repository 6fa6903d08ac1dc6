import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../bundle.ts';
import { commandsOf, findBrokenCommands } from '../lint/commands.ts';
import { findDeadLinks } from '../lint/links.ts';

const files = globSync(['*.md', '{docs,apps,packages,examples,bench,fuzz,vectors,test,tools}/**/*.md'], { cwd: repository });
const documents = files
  .filter((file) => !file.includes('node_modules'))
  .map((file) => ({ path: file, text: readFileSync(path.join(repository, file), 'utf8') }));
const exists = (file: string): boolean => existsSync(path.join(repository, file));

describe('documents', () => {
  it('link to what is there, and name files that are there', () => {
    expect(documents.flatMap((document) => findDeadLinks(document, { documents, exists }))).toEqual([]);
  });

  it('give commands that work as written', () => {
    const { scripts } = JSON.parse(readFileSync(path.join(repository, 'package.json'), 'utf8'));
    const programOf = (file: string) => (exists(file) ? readFileSync(path.join(repository, file), 'utf8') : undefined);
    const broken = documents.flatMap((document) =>
      findBrokenCommands(commandsOf(document.text), scripts, programOf).map((what) => `${document.path}: ${what}`),
    );
    expect(broken).toEqual([]);
    expect(documents.filter(({ text }) => commandsOf(text).length > 0).length).toBeGreaterThan(3);
  });

  it('are all found from the README', () => {
    const readme = documents.find((document) => document.path === 'README.md')?.text ?? '';
    const own = documents.map((document) => document.path).filter((file) => file.startsWith('docs/') && !file.endsWith('.ja.md'));
    expect(
      own.filter((file) => !readme.includes(`](${file})`)),
      'link them in README.md and README.ja.md',
    ).toEqual([]);
  });
});

describe('findDeadLinks', () => {
  const a = {
    path: 'docs/a.md',
    text: '# One, `two`!\n[x](b.md) [y](b.md#what-is-it) [z](#one-two) `core/src/c.ts`\n```\n[n](no.md)\n```\n',
  };
  const b = { path: 'docs/b.md', text: '## What is it?\n' };
  const there = new Set(['docs/a.md', 'docs/b.md', 'packages/core/src/c.ts']);
  const check = (text: string) =>
    findDeadLinks({ ...a, text }, { documents: [{ ...a, text }, b], exists: (file) => there.has(file) });

  it('takes what is there', () => {
    expect(check(a.text)).toEqual([]);
  });

  it.each([
    ['b.md)', 'c.md)', 'docs/a.md: c.md leads nowhere'],
    ['what-is-it', 'what', 'docs/a.md: b.md#what has no such heading'],
    ['#one-two', '#two', 'docs/a.md: #two has no such heading'],
    ['src/c.ts', 'src/d.ts', 'docs/a.md: there is no core/src/d.ts'],
  ])('finds %s turned into %s', (from, to, what) => {
    expect(check(a.text.replace(from, to))).toEqual([what]);
  });
});
