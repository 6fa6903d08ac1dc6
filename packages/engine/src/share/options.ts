import type { SecretBytes } from '@streaming-yao/core';

interface ProjectionOptions {
  /** Key of the projection hash, 32 bytes, of this ceremony alone and different from the gate key. */
  readonly projectionKey: SecretBytes;
  /** What a true bit on each wire is worth: 32 bytes little-endian each, below the modulus. See `bitWeights`. */
  readonly weights: Uint8Array;
  /** Hash index of the first wire; indices under one key must never meet again. At most 2^32 - 1 with all wires added. */
  readonly firstIndex: number;
  /** Prime order of the group the shares belong to, odd, between 2^128 and 2^256. Default: {@link ED25519_ORDER}. */
  readonly modulus?: bigint;
}

/** The garbler's side of a projection. */
export interface GarblerProjectionOptions extends ProjectionOptions {
  /** 16 bytes, as in the garbling. */
  readonly delta: SecretBytes;
  /** Zero-labels of the wires, 16 bytes each. */
  readonly zeroLabels: SecretBytes;
}

/** The evaluator's side of a projection. */
export interface EvaluatorProjectionOptions extends ProjectionOptions {
  /** Active labels of the wires, 16 bytes each. */
  readonly labels: SecretBytes;
  /** What the garbler sent: 32 bytes per wire. */
  readonly ciphertexts: Uint8Array;
}

/** What a projection gives the garbler. */
export interface GarblerProjection {
  /** One scalar per wire, 32 bytes little-endian each, for the evaluator. */
  readonly ciphertexts: Uint8Array;
  /** The garbler's additive share of the weighted sum of the bits, 32 bytes little-endian. */
  readonly share: SecretBytes;
}
