import { describe, expect, it } from 'vitest';
import { commandsOf, findBrokenCommands } from '../lint/commands.ts';

const README = `
Text with \`npm run inline\`.

\`\`\`sh
git clone https://example.org/x && cd x
npm run demo              # the whole story
npm run demo -- --json
$ npm start -- --fresh --port 8788
npm test
npm ci
\`\`\`

\`\`\`
npm run demo -- --json
\`\`\`

\`\`\`ts
npm run notShell
\`\`\`

npm run betweenBlocks
`;

describe('commandsOf', () => {
  it('reads the npm commands of shell blocks', () => {
    expect(commandsOf(README)).toEqual([
      { line: 'npm run demo', script: 'demo', flags: [] },
      { line: 'npm run demo -- --json', script: 'demo', flags: ['--json'] },
      { line: 'npm start -- --fresh --port 8788', script: 'start', flags: ['--fresh', '--port'] },
      { line: 'npm test', script: 'test', flags: [] },
      { line: 'npm run demo -- --json', script: 'demo', flags: ['--json'] },
    ]);
  });
});

describe('findBrokenCommands', () => {
  const scripts = {
    demo: 'node tools/ensure.mjs tools/demo.ts',
    start: 'node tools/ensure.mjs tools/start.ts',
    test: 'node t.ts',
  };
  const programs: Record<string, string> = {
    'tools/demo.ts': "options: { json: { type: 'boolean' } }",
    'tools/start.ts': 'options: { fresh: {}, port: {} }',
    't.ts': '',
  };
  const check = (more: Record<string, string | undefined>) =>
    findBrokenCommands(commandsOf(README), scripts, (file) => ({ ...programs, ...more })[file]);

  it('finds none where all exist', () => {
    expect(check({})).toEqual([]);
  });

  it('finds a missing script, program and option', () => {
    expect(
      findBrokenCommands(commandsOf(README), { demo: 'node tools/demo.ts', test: 'node t.ts' }, (file) => programs[file]),
    ).toEqual(['npm start -- --fresh --port 8788: package.json has no script "start"']);
    expect(check({ 't.ts': undefined })).toEqual(['npm test: t.ts does not exist']);
    expect(check({ 'tools/start.ts': 'options: { port: {} }' })).toEqual([
      'npm start -- --fresh --port 8788: tools/start.ts knows no --fresh',
    ]);
  });
});
