import { activationCircuit, type CircuitName, exportCircuit } from '../circuit/ceremony-circuits.ts';
import type { Circuit } from '../circuit/circuit.ts';
import type { Engine } from '../engine.ts';
import { twinProjectEvaluator, twinProjectGarbler } from '../share/twin-projection.ts';
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
};
