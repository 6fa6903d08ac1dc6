export { EvaluatingSession, type EvaluatingSessionOptions } from './evaluating-session.ts';
export { GarblingSession, type GarblingSessionOptions } from './garbling-session.ts';
export type { SessionContext } from './session-keys.ts';
export {
  CHOICES_BYTES,
  CIRCUIT_IDS,
  INPUT_CIPHERTEXT_BYTES,
  OUTPUT_CIPHERTEXT_BYTES,
  PADS_BYTES,
  TABLE_BYTES,
} from './sizes.ts';
