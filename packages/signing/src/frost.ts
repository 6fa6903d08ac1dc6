import { type SecretBytes, YaoError } from '@streaming-yao/core';
import { encodeScalar, type Group, invertScalar, modL, type Point } from '@streaming-yao/group';
import { H1, H2, H4, H5, nonceGenerate } from './suite.ts';

/** A signer's two nonces for one signature. Secret; they have no serialised form. */
export interface Nonces {
  readonly hiding: SecretBytes;
  readonly binding: SecretBytes;
}

/** What a signer publishes of its nonces. */
export interface NonceCommitments {
  readonly hiding: Point;
  readonly binding: Point;
}

/** A signer's nonces for one signature with their commitments: round one, which knows no message. */
export interface CommittedNonces {
  readonly nonces: Nonces;
  readonly commitments: NonceCommitments;
}

/** A signer's commitments under its identifier, a scalar other than 0. */
export interface Commitment extends NonceCommitments {
  readonly identifier: bigint;
}

/** What all signers derive alike from the message and the commitments. */
export interface SigningContext {
  readonly commitments: readonly Commitment[];
  /** In the order of `commitments`. */
  readonly bindingFactors: readonly bigint[];
  /** R. */
  readonly groupCommitment: Point;
  readonly challenge: bigint;
}

/** Round one. RFC 9591 section 5.1. */
export function commit(group: Group, share: SecretBytes, random: (length: number) => Uint8Array): CommittedNonces {
  const nonces = { hiding: nonceGenerate(group, share, random), binding: nonceGenerate(group, share, random) };
  const [hiding, binding] = group.commitTwo(nonces.hiding, nonces.binding);
  return { nonces, commitments: { hiding, binding } };
}

/** Ends a pair of nonces, which sign once (RFC 9591 section 5.1). */
export function wipeNonces(nonces: Nonces): void {
  nonces.hiding.wipe();
  nonces.binding.wipe();
}

/**
 * What H1 hashes for each signer. RFC 9591 section 4.4.
 * @param messageHash H4 of the message
 */
export function bindingFactorInputs(
  group: Group,
  groupPublicKey: Uint8Array,
  commitments: readonly Commitment[],
  messageHash: Uint8Array,
): readonly (readonly Uint8Array[])[] {
  const list = commitments.flatMap(({ identifier, hiding, binding }) => [
    encodeScalar(identifier),
    hiding.encoded,
    binding.encoded,
  ]);
  const listHash = H5(group, ...list);
  return commitments.map(({ identifier }) => [groupPublicKey, messageHash, listHash, encodeScalar(identifier)]);
}

/**
 * Binding factors, group commitment and challenge. RFC 9591 sections 4.4 to 4.6.
 * @param commitments of all signers, by rising identifier
 * @param messageHash H4 of `message`, where the caller has it already
 * @throws YaoError `invalid_request` when the list is empty, unsorted or names a signer twice
 */
export function signingContext(
  group: Group,
  groupPublicKey: Uint8Array,
  commitments: readonly Commitment[],
  message: Uint8Array,
  messageHash: Uint8Array = H4(group, message),
): SigningContext {
  requireSigners(commitments);
  const bindingFactors = bindingFactorInputs(group, groupPublicKey, commitments, messageHash).map((input) => H1(group, ...input));
  const terms = commitments.flatMap(({ hiding, binding }, i) => [
    { factor: 1n, point: hiding },
    { factor: bindingFactors[i] as bigint, point: binding },
  ]);
  const groupCommitment = group.combine(0n, terms);
  const challenge = H2(group, groupCommitment.encoded, groupPublicKey, message);
  return { commitments, bindingFactors, groupCommitment, challenge };
}

function requireSigners(commitments: readonly Commitment[]): void {
  let previous = 0n;
  for (const { identifier } of commitments) {
    if (identifier <= previous) throw new YaoError('invalid_request', 'signers must come by rising identifier, each once');
    previous = identifier;
  }
  if (previous === 0n) throw new YaoError('invalid_request', 'a signature needs signers');
}

/** Lagrange coefficient of `identifier` at 0. RFC 9591 section 4.2. */
export function interpolatingValue(identifiers: readonly bigint[], identifier: bigint): bigint {
  let numerator = 1n;
  let denominator = 1n;
  for (const other of identifiers) {
    if (other === identifier) continue;
    numerator = modL(numerator * other);
    denominator = modL(denominator * (other - identifier));
  }
  return modL(numerator * invertScalar(denominator));
}

function placeOf(context: SigningContext, identifier: bigint): number {
  const place = context.commitments.findIndex((commitment) => commitment.identifier === identifier);
  if (place < 0) throw new YaoError('invalid_request', 'this signer has no commitment in the list');
  return place;
}

/** challenge * Lagrange coefficient of one signer. */
function weight({ commitments, challenge }: SigningContext, identifier: bigint): bigint {
  const identifiers = commitments.map((commitment) => commitment.identifier);
  return modL(challenge * interpolatingValue(identifiers, identifier));
}

/**
 * Round two: hiding + bindingFactor * binding + lambda * share * challenge. RFC 9591 section 5.2.
 * The caller never signs with the same nonces again.
 */
export function signatureShare(
  group: Group,
  context: SigningContext,
  identifier: bigint,
  share: SecretBytes,
  nonces: Nonces,
): SecretBytes {
  const bindingFactor = context.bindingFactors[placeOf(context, identifier)] as bigint;
  using nonce = group.multiplyAdd(bindingFactor, nonces.binding, nonces.hiding);
  return group.multiplyAdd(weight(context, identifier), share, nonce);
}

/**
 * Whether one signer's share is right. RFC 9591 section 5.4.
 * @param verifyingShare the signer's share times G
 */
export function verifySignatureShare(
  group: Group,
  context: SigningContext,
  identifier: bigint,
  verifyingShare: Point,
  signatureShareOfSigner: bigint,
): boolean {
  const place = placeOf(context, identifier);
  const { hiding, binding } = context.commitments[place] as Commitment;
  return group.vanishes(modL(-signatureShareOfSigner), [
    { factor: 1n, point: hiding },
    { factor: context.bindingFactors[place] as bigint, point: binding },
    { factor: weight(context, identifier), point: verifyingShare },
  ]);
}

/** Whether z*G = R + challenge * key: RFC 8032 verification of what is about to be released. */
export function verifyAggregate(group: Group, context: SigningContext, groupPublicKey: Point, response: bigint): boolean {
  return group.vanishes(modL(-response), [
    { factor: 1n, point: context.groupCommitment },
    { factor: context.challenge, point: groupPublicKey },
  ]);
}

/** R, then the sum of all signature shares: 64 bytes. RFC 9591 section 5.3; the caller verifies. */
export function aggregate(context: SigningContext, signatureShares: readonly bigint[]): Uint8Array {
  const response = modL(signatureShares.reduce((sum, share) => sum + share, 0n));
  return encodeSignature(context.groupCommitment, response);
}

/** R, then S: 64 bytes (RFC 8032 section 5.1.6). */
export function encodeSignature(groupCommitment: Point, response: bigint): Uint8Array {
  const signature = new Uint8Array(64);
  signature.set(groupCommitment.encoded);
  signature.set(encodeScalar(response), 32);
  return signature;
}
