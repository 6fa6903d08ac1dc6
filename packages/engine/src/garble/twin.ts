import { activationCircuit, type CircuitName, exportCircuit } from '../circuit/ceremony-circuits.ts';
import type { Circuit } from '../circuit/circuit.ts';
import type { Engine } from '../engine.ts';
import { twinProjectEvaluator, twinProjectGarbler } from '../share/twin-projection.ts';
import { blake3Block } from './blake3.ts';
import { putWords, toWords } from './labels.ts';
import { NetlistEvaluator, NetlistGarbler } from './netlist.ts';

const builders = { activation: activationCircuit, export: exportCircuit };
const built = new Map<CircuitName, Circuit>();

/** The netlist of a ceremony circuit, built once. */
export function ceremonyCircuit(name: CircuitName): Circuit {
  const circuit = built.get(name) ?? builders[name]();
  built.set(name, circuit);
  return circuit;
}

/** The plain TypeScript engine: every gate and every number in the open, a hundred times slower than the kernel. */
export const twin: Engine = {
  garbler: (options) => new NetlistGarbler({ ...options, circuit: ceremonyCircuit(options.circuit) }),
  evaluator: (options) => new NetlistEvaluator({ ...options, circuit: ceremonyCircuit(options.circuit) }),
  projectGarbler: twinProjectGarbler,
  projectEvaluator: twinProjectEvaluator,
  hashBlocks(key, messages, firstCounter, counterStep) {
    const keyWords = toWords(key);
    const words = toWords(messages);
    const block = new Uint32Array(16);
    const blocks = new Uint8Array(4 * messages.length);
    for (let i = 0; 4 * i < words.length; i++) {
      blake3Block(keyWords, words.subarray(4 * i, 4 * i + 4), firstCounter + counterStep * i, block);
      putWords(block, blocks, 64 * i);
    }
    for (const secret of [keyWords, words, block]) secret.fill(0);
    return blocks;
  },
};
