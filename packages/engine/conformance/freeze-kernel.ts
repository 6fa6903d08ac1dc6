// Rewrites vectors/engine-kernel.json with the plain TypeScript engine. Only for a change of circuit, garbling or projection, named
// in the commit.

import { writeFileSync } from 'node:fs';
import { twin } from '../src/index.ts';
import { kernelAnswers } from './kernel-answers.ts';

const vectors = {
  source:
    'Frozen output of the plain TypeScript engine (packages/engine, twin) on random tapes: the tape of a name is the BLAKE3 output stream ' +
    'of its UTF-8 bytes, here "kernel activation" and "kernel export", read as gate key, projection key, delta (lowest bit set), 256 zero-labels ' +
    'and seed. Values of more than 64 bytes are given as SHA-256. packages/engine/conformance/kernel-answers.ts computes them.',
  activation: kernelAnswers(twin, 'activation'),
  export: kernelAnswers(twin, 'export'),
};
writeFileSync(new URL('../../../vectors/engine-kernel.json', import.meta.url), `${JSON.stringify(vectors, null, 2)}\n`);
