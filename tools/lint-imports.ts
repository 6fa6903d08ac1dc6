import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { repository } from './bundle.ts';
import { findImportViolations, findLargeFiles, type SourceFile } from './lint/imports.ts';

const read = (file: string): string => readFileSync(path.join(repository, file), 'utf8');

function sources(): readonly SourceFile[] {
  const patterns = ['packages/*/{src,test,conformance,assembly}/**/*.{ts,mjs}', 'packages/*/*.{ts,mjs}'];
  const found = globSync([...patterns, '{tools,bench,examples,apps,test}/**/*.{ts,mjs}'], { cwd: repository });
  return found.filter((file) => !file.includes('node_modules')).map((file) => ({ path: file, text: read(file) }));
}

function exportsOfPackages(): Record<string, readonly string[]> {
  const manifests = globSync('packages/*/package.json', { cwd: repository });
  return Object.fromEntries(
    manifests.map((file) => [path.basename(path.dirname(file)), Object.keys(JSON.parse(read(file)).exports ?? {})]),
  );
}

/** Checks who imports whom, and the size of files. */
const files = sources();
const violations = [...findImportViolations(files, exportsOfPackages()), ...findLargeFiles(files)];
for (const { path: file, what } of violations) console.error(`${file} ${what}`);
console.log(`imports and sizes of ${files.length} files: ${violations.length} violations`);
process.exitCode = violations.length > 0 ? 1 : 0;
