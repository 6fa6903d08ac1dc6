import { type Party, schema, YaoError } from '@streaming-yao/core';
import { decodeScalar, type Group } from '@streaming-yao/group';
import { LaneEpoch, PROTOCOL, type Presign } from '@streaming-yao/wire';
import type { Commitment, NonceCommitments } from './frost.ts';

/** Identifiers of the two signers (RFC 9591 section 5). Their Lagrange coefficients at 0 are 2 and -1. */
export const CLIENT = 1n;
/** See {@link CLIENT}. */
export const SIGNING_WORKER = 2n;

const PresignName = schema.message(`${PROTOCOL} presign`, {
  lane: LaneEpoch,
  hiding: schema.bytes(32),
  binding: schema.bytes(32),
  expiresAtMs: schema.timeMs,
});

/** The id that belongs to commitments and nothing else: 32 bytes. Whoever swaps a commitment changes it. */
export function presignIdOf(lane: LaneEpoch, { hiding, binding, expiresAtMs }: Omit<Presign, 'presignId'>): Uint8Array {
  return PresignName.digest({ lane, hiding, binding, expiresAtMs });
}

/** Both signers' commitments, by rising identifier. */
export function bothCommitments(client: NonceCommitments, worker: NonceCommitments): readonly Commitment[] {
  return [
    { identifier: CLIENT, ...client },
    { identifier: SIGNING_WORKER, ...worker },
  ];
}

/** Commitments as they came over the wire, checked. @throws YaoError `invalid_point`, laid at the `party` that made them */
export function decodeCommitments(
  group: Group,
  { hiding, binding }: { readonly hiding: Uint8Array; readonly binding: Uint8Array },
  party: Party,
): NonceCommitments {
  return laidAt(party, () => ({ hiding: group.decodePoint(hiding), binding: group.decodePoint(binding) }));
}

/** A signature share as it came over the wire. @throws YaoError `invalid_scalar`, laid at the `party` that made it */
export function decodeSignatureShare(bytes: Uint8Array, party: Party): bigint {
  return laidAt(party, () => decodeScalar(bytes));
}

function laidAt<T>(party: Party, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw error instanceof YaoError ? error.within({ party }) : error;
  }
}
