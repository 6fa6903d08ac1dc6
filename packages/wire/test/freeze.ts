import { writeFile } from 'node:fs/promises';
import { type Message, toHex } from '@streaming-yao/core';
import * as wire from '../src/index.ts';
import { SAMPLES } from './samples.ts';

/**
 * Writes vectors/wire.json from the samples. Run it only when a message was changed on purpose, and say in the commit why: peers of
 * the previous version will not understand the new one.
 */
const exported: Readonly<Record<string, unknown>> = { ...wire };
const messages = Object.fromEntries(
  Object.entries(SAMPLES)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, sample]) => {
      const message = exported[name] as Message<unknown>;
      return [name, { domain: message.domain, bytes: toHex(message.encode(sample)), json: message.toJson(sample) }];
    }),
);
const text = `${JSON.stringify({ made: 'node packages/wire/test/freeze.ts', messages }, null, 1)}\n`;
await writeFile(new URL('../../../vectors/wire.json', import.meta.url), text);
