import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

const fileOf = (target: string): string => path.join(import.meta.dirname, 'corpus', `${target}.txt`);

/** The inputs that are kept of a target: one a line, in base64. */
export async function readCorpus(target: string): Promise<readonly Uint8Array[]> {
  const text = await readFile(fileOf(target), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => Uint8Array.from(Buffer.from(line, 'base64')));
}

/** Longer inputs are not worth their place: what they reach, their seeds reach. */
const LONGEST_KEPT_BYTES = 2048;

export async function writeCorpus(target: string, inputs: readonly Uint8Array[]): Promise<void> {
  const short = inputs.filter(({ length }) => length <= LONGEST_KEPT_BYTES);
  const lines = [...new Set(short.map((input) => Buffer.from(input).toString('base64')))];
  await writeFile(
    fileOf(target),
    `${lines.sort((left, right) => left.length - right.length || (left < right ? -1 : 1)).join('\n')}\n`,
  );
}
