import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../bundle.ts';
import { findStale } from '../lint/translation.ts';

const read = (file: string): string => readFileSync(path.join(repository, file), 'utf8');

describe.each(['README.md', 'docs/tutorial.md'])('the Japanese %s', (file) => {
  const japanese = file.replace(/\.md$/, '.ja.md');

  it('is in step with the English one', () => {
    expect(findStale(read(file), read(japanese)), `change ${japanese} alike`).toEqual([]);
  });

  it('is linked from it, and links back', () => {
    expect(read(file)).toContain(`](${path.basename(japanese)})`);
    expect(read(japanese)).toContain(`](${path.basename(file)})`);
  });

  it('has the same links', () => {
    const links = (text: string) =>
      [...text.matchAll(/\]\(([^)]*)\)/g)].map(([, target = '']) => target.replace('.ja.md', '.md').replace(/#.*$/, ''));
    expect(new Set(links(read(japanese)))).toEqual(new Set(links(read(file))));
  });
});

const ENGLISH = `# Title
At 3 of 5, [see 7](a/8.md) and \`9\`; Ed25519.
## Sub
| bytes | 1,745,058 |
\`\`\`sh
npm run x 12   # says so
\`\`\`
`;

describe('findStale', () => {
  const stale = (change: (text: string) => string): readonly string[] => findStale(ENGLISH, change(ENGLISH));

  it('takes other words, another order of figures and other comments', () => {
    const japanese = ENGLISH.replace('At 3 of 5', '5つのうち3つ').replace('says so', 'そう言う').replace('# Title', '# 題');
    expect(findStale(ENGLISH, japanese)).toEqual([]);
  });

  it.each<[string, (text: string) => string, string]>([
    ['a figure', (text) => text.replace('1,745,058', '1,745,059'), 'below "Sub" the figure 1,745,058 is missing'],
    ['a figure twice', (text) => text.replace('5,', '5 5,'), 'below "Title" the figure 5 is not in the original'],
    [
      'a figure elsewhere',
      (text) => text.replace('At 3 of', 'At of').replace('bytes', '3'),
      'below "Title" the figure 3 is missing',
    ],
    ['a heading', (text) => text.replace('## Sub\n', ''), 'the heading "Sub" has "nothing" in its place'],
    ['a level', (text) => text.replace('## Sub', '### Sub'), 'the heading "Sub" has "Sub" in its place'],
    ['one heading more', (text) => `${text}## More\n`, 'there is one heading more: "More"'],
    [
      'a command',
      (text) => text.replace('npm run x', 'npm run y'),
      'the code block that begins with "npm run x 12   # says so" differs',
    ],
    ['one block more', (text) => `${text}\`\`\`sh\nls\n\`\`\`\n`, 'the code block "ls" is not in the original'],
  ])('finds %s', (_, change, what) => {
    expect(stale(change)).toContain(what);
  });
});
