import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { findImportViolations, findLargeFiles, importsOf } from '../lint/imports.ts';

const EXPORTS = {
  core: ['.'],
  group: ['.', './node'],
  engine: ['.'],
  wire: ['.'],
  ceremony: ['./client', './program', './router', './role'],
  client: ['.'],
  workers: ['./config'],
};

const check = (file: string, text: string) => findImportViolations([{ path: file, text }], EXPORTS).map(({ what }) => what);

describe('importsOf', () => {
  it('finds every form of import, and nothing in comments', () => {
    const text = `
      import a from 'a';
      import { b,
        c } from "b";
      import 'c';
      export * from './d.ts';
      import type { E } from 'e';
      const f = await import('f');
      // import g from 'g';
      /** import h from 'h'; */
       * from 'i'
    `;
    expect(importsOf(text)).toEqual(['a', 'b', 'c', './d.ts', 'e', 'f']);
  });
});

describe('the arrows', () => {
  it.each([
    ['packages/engine/src/x.ts', "import '@streaming-yao/wire';"],
    ['packages/core/src/x.ts', "import '@streaming-yao/group';"],
    ['packages/group/src/x.ts', "import '@streaming-yao/engine';"],
    ['packages/wire/src/x.ts', "import type { X } from '@streaming-yao/ceremony/program';"],
    ['packages/client/src/x.ts', "import '@streaming-yao/engine';"],
    ['packages/client/src/x.ts', "import '@streaming-yao/ceremony/router';"],
    ['packages/ceremony/src/x.ts', "import '@streaming-yao/workers/config';"],
    ['packages/ceremony/src/x.ts', "import '@streaming-yao/client';"],
    ['packages/wire/src/x.ts', "import '@streaming-yao/wire';"],
    ['packages/group/src/x.ts', "import '@streaming-yao/core/bytes';"],
    ['packages/client/test/x.test.ts', "import '@streaming-yao/ceremony/deriver';"],
    ['packages/group/src/x.ts', "import '../../core/src/bytes.ts';"],
    ['packages/group/test/x.test.ts', "import '../../core/src/bytes.ts';"],
    ['tools/x.ts', "import '../packages/core/src/index.ts';"],
    ['packages/workers/src/x.ts', "import '../../../tools/stack.ts';"],
    ['packages/engine/src/x.ts', "import { randomBytes } from 'node:crypto';"],
    ['packages/ceremony/src/x.ts', "import 'cloudflare:workers';"],
  ])('refuse that %s has %s', (file, text) => {
    expect(check(file, text)).toHaveLength(1);
  });

  it.each([
    ['packages/group/src/x.ts', "import '@streaming-yao/core';"],
    ['packages/client/src/x.ts', "import '@streaming-yao/ceremony/client';"],
    ['packages/workers/src/x.ts', "import '@streaming-yao/ceremony/router';"],
    ['packages/workers/src/x.ts', "import 'node:crypto';"],
    ['packages/group/src/node.ts', "import 'node:fs';"],
    ['packages/client/src/node-connection.ts', "import 'node:http';"],
    ['bench/x.ts', "import '../packages/engine/build-kernel.mjs';"],
    ['packages/group/src/deep/x.ts', "import '../scalar.ts';"],
    ['packages/workers/test/x.test.ts', "import '../../../tools/stack.ts';"],
    ['packages/engine/test/x.test.ts', "import '@streaming-yao/wire';"],
    ['packages/wire/src/x.ts', "import '@noble/hashes/sha2.js';"],
    ['tools/lint/x.ts', "import '../bundle.ts';"],
    ['tools/x.ts', "import '@streaming-yao/workers/config';"],
  ])('let %s have %s', (file, text) => {
    expect(check(file, text)).toEqual([]);
  });
});

describe('the size of files', () => {
  it('is bounded', () => {
    const sized = (bytes: number) => findLargeFiles([{ path: 'x.ts', text: 'x'.repeat(bytes) }]);
    expect(sized(15_000)).toEqual([]);
    expect(sized(15_001)).toHaveLength(1);
  });
});

describe('lint-imports.ts', () => {
  const repository = path.resolve(import.meta.dirname, '../..');
  const planted = path.join(repository, 'examples', 'planted-by-a-test');
  afterEach(() => rmSync(planted, { recursive: true, force: true }));

  it('fails on a violation planted in the repository', () => {
    mkdirSync(planted, { recursive: true });
    writeFileSync(path.join(planted, 'planted.ts'), "import '../../packages/core/src/bytes.ts';\n");
    const { status, stderr } = spawnSync(process.execPath, [path.join(repository, 'tools/lint-imports.ts')], {
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toContain('examples/planted-by-a-test/planted.ts imports ../../packages/core/src/bytes.ts');
  });
});
