import { blake3 } from '@noble/hashes/blake3.js';
import { utf8, YaoError } from '@streaming-yao/core';
import { loadGroup } from '@streaming-yao/group/node';
import { expect } from 'vitest';
import type { Engine } from '../src/engine.ts';
import { loadKernel } from '../src/node.ts';
import { answerPairing, finishPairing, type Random, startPairing } from '../src/ot/handshake.ts';
import { EvaluatorPairing, GarblerPairing } from '../src/ot/pairing.ts';

/** A random source that gives the same bytes for the same name. */
export function tape(name: string): Random {
  const stream = blake3.create({}).update(utf8(name));
  return (length) => stream.xof(length);
}

export const group = loadGroup();

export const CONTEXT = utf8('test deployment, passive profile');

function pair() {
  const start = startPairing(group, tape('pairing garbler'), CONTEXT);
  const pending = start.pending.map((bytes) => bytes.slice());
  const { pairing, reply } = answerPairing(group, tape('pairing evaluator'), CONTEXT, start.message);
  const garbler = finishPairing(group, start.pending, CONTEXT, reply);
  return { message: start.message, reply, pending, garbler: garbler.export(), evaluator: pairing.export() };
}

let paired: ReturnType<typeof pair> | undefined;

/** One pairing for the whole file (base OTs cost a second), each time as fresh objects. */
export function pairings() {
  paired ??= pair();
  return {
    ...paired,
    pending: paired.pending.map((bytes) => bytes.slice()),
    garbler: GarblerPairing.import(paired.garbler),
    evaluator: EvaluatorPairing.import(paired.evaluator),
  };
}

export function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(YaoError);
    return (error as YaoError).code;
  }
  return 'no error';
}

/** `bytes` with one bit flipped. */
export function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const copy = bytes.slice();
  copy[bit >> 3] = copy[bit >> 3]! ^ (1 << (bit & 7));
  return copy;
}

/** What sessions run on in these tests. */
export const engine: Engine = loadKernel();
