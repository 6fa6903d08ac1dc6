export { readBristol, writeBristol } from './circuit/bristol.ts';
export { CircuitBuilder } from './circuit/builder.ts';
export { activationCircuit, CIRCUITS, type CircuitName, exportCircuit, FREE_BITS } from './circuit/ceremony-circuits.ts';
export { type Circuit, type CircuitFigures, circuitFigures, circuitId, encodeCircuit, type Literal } from './circuit/circuit.ts';
export { evaluatePacked, evaluateSliced } from './circuit/evaluate.ts';
export { sha512FirstHalf } from './circuit/sha512.ts';
export { createEvaluator, createGarbler, type Engine } from './engine.ts';
export { NetlistEvaluator, NetlistGarbler } from './garble/netlist.ts';
export type { EvaluatorOptions, EvaluatorParty, GarblerOptions, GarblerParty } from './garble/party.ts';
export { twin } from './garble/twin.ts';
export { createKernel, type Kernel } from './kernel/kernel.ts';
export type { PairingGroup } from './ot/base.ts';
export {
  answerPairing,
  finishPairing,
  PAIRING_MESSAGE_BYTES,
  PAIRING_REPLY_BYTES,
  type Random,
  startPairing,
} from './ot/handshake.ts';
export { EvaluatorPairing, GarblerPairing } from './ot/pairing.ts';
export { TICKET_WINDOW } from './ot/ratchet.ts';
export type { EvaluatorTicket, GarblerTicket } from './ot/ticket.ts';
export * from './session.ts';
export { colours } from './share/colours.ts';
export { bitWeights, ED25519_ORDER } from './share/modulus.ts';
export type { EvaluatorProjectionOptions, GarblerProjection, GarblerProjectionOptions } from './share/options.ts';
export { projectEvaluator, projectGarbler } from './share/projection.ts';
