import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readPackages, writeReferences } from './api/packages.ts';
import { repository } from './bundle.ts';

/** Writes the API reference from the docstrings of the packages' sources. */
for (const [file, text] of Object.entries(writeReferences(readPackages()))) {
  mkdirSync(path.join(repository, path.dirname(file)), { recursive: true });
  writeFileSync(path.join(repository, file), text);
  console.log(`${file}: ${text.match(/^### /gm)?.length ?? 0} names`);
}
