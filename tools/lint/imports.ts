import path from 'node:path';

/** A source file: its path from the repository's root, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export interface Violation {
  readonly path: string;
  readonly what: string;
}

/** What each package may import of the others; docs/architecture.md draws the picture. A list restricts the entry points. */
const ARROWS: Readonly<Record<string, Readonly<Record<string, 'any' | readonly string[]>>>> = {
  core: {},
  group: { core: 'any' },
  wire: { group: 'any', core: 'any' },
  engine: { group: 'any', core: 'any' },
  signing: { wire: 'any', group: 'any', core: 'any' },
  ceremony: { signing: 'any', engine: 'any', wire: 'any', group: 'any', core: 'any' },
  client: { ceremony: ['client', 'program'], signing: 'any', wire: 'any', group: 'any', core: 'any' },
  workers: { ceremony: 'any', signing: 'any', engine: 'any', wire: 'any', group: 'any', core: 'any' },
  simulator: { client: 'any', ceremony: 'any', signing: 'any', engine: 'any', wire: 'any', group: 'any', core: 'any' },
};

/** Packages that only compute: they know no platform, except in files named after it. */
const PURE = new Set(['core', 'group', 'wire', 'engine', 'signing', 'ceremony', 'client']);
const PLATFORM_FILE = /^node(-[a-z]+)*\.ts$/;

/** A package's build script is no part of it. */
const BUILD_SCRIPT = /^packages\/[^/]+\/build-[a-z]+\.mjs$/;

const SCOPE = '@streaming-yao/';

/** The modules that a source text imports, types included. */
export function importsOf(text: string): readonly string[] {
  const statements = text.matchAll(/^\s*(?:import|export)\b[^'"`;=]*(['"])([^'"\n]+)\1/gm);
  const calls = text.matchAll(/^[^'"`/]*\bimport\(\s*(['"])([^'"\n]+)\1/gm);
  return [...statements, ...calls].map(([, , module = '']) => module);
}

interface Place {
  /** `undefined` outside `packages`. */
  readonly package: string | undefined;
  /** `src` is what others build on; tests and build scripts may use the repository's tools. */
  readonly isSource: boolean;
}

function placeOf(file: string): Place {
  const [top, name, folder] = file.split('/');
  return top === 'packages' ? { package: name, isSource: folder === 'src' } : { package: undefined, isSource: false };
}

/**
 * Refuses imports against the arrows, past a package's exports, or into another package's files.
 * @param exportsOf the `exports` of each package's package.json
 */
export function findImportViolations(
  files: readonly SourceFile[],
  exportsOf: Readonly<Record<string, readonly string[]>>,
): readonly Violation[] {
  return files.flatMap((file) =>
    importsOf(file.text).flatMap((module) => {
      const what = fault(file.path, module, exportsOf);
      return what === undefined ? [] : [{ path: file.path, what: `imports ${module}: ${what}` }];
    }),
  );
}

function fault(file: string, module: string, exportsOf: Readonly<Record<string, readonly string[]>>): string | undefined {
  const place = placeOf(file);
  if (module.startsWith('.')) return relativeFault(file, path.posix.join(path.posix.dirname(file), module), place);
  if (module.startsWith('node:') || module.startsWith('cloudflare:')) {
    const pure = place.isSource && PURE.has(place.package ?? '') && !PLATFORM_FILE.test(path.posix.basename(file));
    return pure ? `${place.package} knows no platform` : undefined;
  }
  if (!module.startsWith(SCOPE)) return undefined;
  const [target = '', ...rest] = module.slice(SCOPE.length).split('/');
  const entry = rest.length === 0 ? '.' : `./${rest.join('/')}`;
  if (!exportsOf[target]?.includes(entry)) return `${target} does not export it`;
  return place.isSource ? arrowFault(place.package ?? '', target, rest.join('/')) : undefined;
}

function relativeFault(file: string, target: string, place: Place): string | undefined {
  const there = placeOf(target);
  if (there.package === place.package && (place.package !== undefined || !target.startsWith('packages/'))) return undefined;
  if (place.package === undefined && BUILD_SCRIPT.test(target)) return undefined;
  if (there.package !== undefined) return `enter ${there.package} by its exports, not by its files`;
  return place.isSource ? `a package builds on no tool (${file})` : undefined;
}

function arrowFault(from: string, to: string, entry: string): string | undefined {
  if (from === to) return 'import the file itself within a package';
  const allowed = ARROWS[from]?.[to];
  if (allowed === undefined) return `${from} does not build on ${to}`;
  return allowed === 'any' || allowed.includes(entry) ? undefined : `${from} knows of ${to} only ${allowed.join(' and ')}`;
}

const LARGEST_FILE_BYTES = 15_000;

/** Refuses files that nobody reads to the end. */
export function findLargeFiles(files: readonly SourceFile[]): readonly Violation[] {
  return files.flatMap(({ path: file, text }) => {
    const bytes = Buffer.byteLength(text);
    return bytes > LARGEST_FILE_BYTES ? [{ path: file, what: `has ${bytes} bytes; split it below ${LARGEST_FILE_BYTES}` }] : [];
  });
}
