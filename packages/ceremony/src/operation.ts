import { fromHex } from '@streaming-yao/core';
import type { Core, Operation } from '@streaming-yao/wire';

/** Digests of the two canonical circuits. The engine owns them; a test keeps these equal, so that nobody else needs the engine. */
const ACTIVATION_CIRCUIT_ID = fromHex('a25812904ab6fa5834f1b065b072c8f9a9556b7f15ed8f7ebbaa0d97a34e3e47');
const EXPORT_CIRCUIT_ID = fromHex('46e6cc4570fa94f0c237af7c46614e1ea9b6cea52214e3044c33874affc58327');

/** docs/protocol.md section 3: `export` has a circuit without gates, all else computes SHA-512. */
export function circuitIdOf(operation: Operation): Uint8Array {
  return operation === 'export' ? EXPORT_CIRCUIT_ID : ACTIVATION_CIRCUIT_ID;
}

export function circuitNameOf(operation: Operation): 'activation' | 'export' {
  return operation === 'export' ? 'export' : 'activation';
}

/** Whether the seed wires are projected too, so that both Derivers know V = (seed mod L)*G. */
export function projectsSeed(operation: Operation): boolean {
  return operation === 'register' || operation === 'export';
}

/** The epoch number that the ceremony's new shares will carry. */
export function newEpochOf(core: Core): number {
  return core.expectedEpoch + 1;
}
