// Rewrites vectors/engine-sessions.json with the plain TypeScript engine. Only for a change of the protocol, named in the commit.

import { writeFileSync } from 'node:fs';
import { loadGroup } from '@streaming-yao/group/node';
import { twin } from '../src/index.ts';
import { pair, ratchetAnswers, sessionAnswers } from './session-answers.ts';

const pairings = pair(loadGroup());
const vectors = {
  source:
    'Frozen output of the plain TypeScript engine (packages/engine, twin) on random tapes: the tape of a name is the BLAKE3 output stream ' +
    'of its UTF-8 bytes. Values of more than 97 bytes are given as SHA-256. packages/engine/conformance/session-answers.ts computes them.',
  pairing: pairings.answers,
  activation: sessionAnswers(twin, pairings, 'activation'),
  export: sessionAnswers(twin, pairings, 'export'),
  ratchet: ratchetAnswers(pairings),
};
writeFileSync(new URL('../../../vectors/engine-sessions.json', import.meta.url), `${JSON.stringify(vectors, null, 2)}\n`);
