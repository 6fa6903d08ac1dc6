import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../bundle.ts';

const read = (file: string): string => readFileSync(path.join(repository, file), 'utf8');

/** The rows of the first table below a heading, without their head. */
function rowsBelow(markdown: string, heading: string): readonly (readonly string[])[] {
  const section = markdown.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(1).map((line) => line.slice(2, -2).split(' | '));
}

const EVIDENCE = /`([^`]+)`: “([^”]+)”/g;
const claims = rowsBelow(read('docs/threat-model.md'), 'Claims and their tests').map(([claim = '', shown = '']) => ({
  claim,
  shown,
  evidence: [...shown.matchAll(EVIDENCE)].map(([, file = '', name = '']) => ({ file, name })),
}));

describe('each claim of the threat model', () => {
  it.each(claims)('$claim', ({ shown, evidence }) => {
    expect(evidence.length).toBe(shown.split('<br>').length);
    for (const { file, name } of evidence) {
      expect(existsSync(path.join(repository, file)), file).toBe(true);
      const named = [`'${name}'`, `"${name}"`, `\`${name}\``].some((text) => read(file).includes(text));
      expect(named, `${file} has no test “${name}”`).toBe(true);
    }
  });

  it('is read from the table', () => {
    expect(claims.length).toBeGreaterThan(20);
  });
});

it('the protocol, the README and SECURITY.md leave claims to it', () => {
  for (const file of ['docs/protocol.md', 'README.md', 'SECURITY.md']) {
    expect(read(file)).toContain('threat-model.md)');
    expect(read(file)).not.toMatch(/shown by/i);
  }
});
