import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { repository } from '../bundle.ts';
import { exportsOf, type Resolve } from './declarations.ts';
import { type Entry, referenceOf } from './reference.ts';

/** Packages whose entry points are for others to build on. */
export const DOCUMENTED = ['client', 'engine', 'group', 'signing'] as const;

/** What these export again of others. The compiler writes no declarations of packages that are only imported. */
const FOUNDATIONS = ['core', 'wire', 'ceremony'] as const;

const SCOPE = '@streaming-yao/';

interface Manifest {
  readonly description?: string;
  readonly exports?: Readonly<Record<string, string>>;
}

const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(path.join(repository, 'packages', name, 'package.json'), 'utf8'));

/** Entry points in TypeScript, by what one appends to the package's name. */
function entriesOf(name: string): readonly (readonly [string, string])[] {
  return Object.entries(manifestOf(name).exports ?? {}).filter(([, file]) => file.startsWith('./src/'));
}

/**
 * The declarations of the documented packages and of what they import.
 * @param read is given a function that reads the declaration file of a source file
 * @throws Error when the sources do not compile
 */
function withDeclarations<T>(read: (declarationOf: (source: string) => string | undefined) => T): T {
  const folder = mkdtempSync(path.join(tmpdir(), 'declarations-'));
  try {
    const project = path.join(folder, 'tsconfig.json');
    const include = [...DOCUMENTED, ...FOUNDATIONS].map((name) => path.join(repository, 'packages', name, 'src'));
    const compilerOptions = {
      ...{ noEmit: false, declaration: true, emitDeclarationOnly: true, singleThreaded: true },
      ...{ rootDir: repository, outDir: path.join(folder, 'out'), typeRoots: [path.join(repository, 'node_modules/@types')] },
    };
    const config = { extends: path.join(repository, 'tsconfig.json'), compilerOptions, include, exclude: [] };
    writeFileSync(project, JSON.stringify(config));
    const { status, stdout } = spawnSync(path.join(repository, 'node_modules/.bin/tsc'), ['-p', project], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stdout);
    return read((source) => {
      const file = path.join(folder, 'out', path.relative(repository, source)).replace(/\.ts$/, '.d.ts');
      return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function sourceOf(module: string, from: string): string | undefined {
  if (module.startsWith('.')) return path.join(path.dirname(from), module);
  const [, name = '', rest = ''] = /^@streaming-yao\/([^/]+)(.*)$/.exec(module) ?? [];
  const file = name === '' ? undefined : manifestOf(name).exports?.[`.${rest}`];
  return file === undefined ? undefined : path.join(repository, 'packages', name, file);
}

interface DocumentedPackage {
  readonly name: string;
  readonly entries: readonly Entry[];
}

/** Each documented package with its entry points and what they export. @throws Error when the sources do not compile */
export function readPackages(): readonly DocumentedPackage[] {
  return withDeclarations((declarationOf) => {
    const resolve: Resolve = (module, from) => {
      const file = sourceOf(module, from);
      const text = file === undefined ? undefined : declarationOf(file);
      return file === undefined || text === undefined ? undefined : { file, text };
    };
    return DOCUMENTED.map((name) => ({
      name,
      entries: entriesOf(name).map(([entry, source]) => {
        const file = path.join(repository, 'packages', name, source);
        return { module: SCOPE + name + entry.slice(1), exported: exportsOf(file, declarationOf(file) ?? '', resolve) };
      }),
    }));
  });
}

/** The reference of each package, by the file that it belongs into. */
export function writeReferences(packages: readonly DocumentedPackage[]): Readonly<Record<string, string>> {
  const references = packages.map(({ name, entries }) => {
    const text = referenceOf(SCOPE + name, manifestOf(name).description ?? '', entries);
    return [path.join('docs/api', `${name}.md`), text];
  });
  return Object.fromEntries(references);
}
