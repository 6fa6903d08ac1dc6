export { CIRCUITS, type CircuitName } from './circuit/ceremony-circuits.ts';
export { createEvaluator, createGarbler, type Engine } from './engine.ts';
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
