import { concatBytes, fromHex, SecretBytes, toHex } from '@streaming-yao/core';
import { decodeScalar, encodeScalar, modL } from '@streaming-yao/group';
import { describe, expect, it } from 'vitest';
import vectors from '../../../vectors/frost-ed25519-rfc9591.json' with { type: 'json' };
import {
  aggregate,
  bindingFactorInputs,
  type Commitment,
  commit,
  interpolatingValue,
  signatureShare,
  signingContext,
  verifyAggregate,
  verifySignatureShare,
} from '../src/frost.ts';
import { H4 } from '../src/suite.ts';
import { group, scalarOf } from './two-signers.ts';

const secret = (hex: string): SecretBytes => SecretBytes.own(fromHex(hex));
const hexOf = (bytes: SecretBytes): string => bytes.use(toHex);
const shareOf = (identifier: number): string => vectors.shares.find((share) => share.identifier === identifier)?.share as string;
const message = fromHex(vectors.message);
const groupPublicKey = fromHex(vectors.groupPublicKey);

const signers = vectors.signers.map((signer) => {
  const tape = [signer.hidingNonceRandomness, signer.bindingNonceRandomness].map(fromHex);
  const { nonces, commitments } = commit(group, secret(shareOf(signer.identifier)), () => tape.shift() as Uint8Array);
  const commitment: Commitment = { identifier: BigInt(signer.identifier), ...commitments };
  return { expected: signer, nonces, commitment, share: secret(shareOf(signer.identifier)) };
});
const commitments = signers.map(({ commitment }) => commitment);
const context = signingContext(group, groupPublicKey, commitments, message);

describe('RFC 9591 appendix E.1', () => {
  it('splits the key on the polynomial', () => {
    expect(toHex(group.baseMultiply(secret(vectors.groupSecretKey)))).toBe(vectors.groupPublicKey);
    for (const { identifier, share } of vectors.shares) {
      const coefficient = secret(vectors.polynomialCoefficient);
      expect(hexOf(group.multiplyAdd(BigInt(identifier), coefficient, secret(vectors.groupSecretKey)))).toBe(share);
    }
  });

  it.each(signers)('round one of signer $expected.identifier', ({ expected, nonces, commitment }) => {
    expect(hexOf(nonces.hiding)).toBe(expected.hidingNonce);
    expect(hexOf(nonces.binding)).toBe(expected.bindingNonce);
    expect(toHex(commitment.hiding.encoded)).toBe(expected.hidingNonceCommitment);
    expect(toHex(commitment.binding.encoded)).toBe(expected.bindingNonceCommitment);
  });

  it('binding factors', () => {
    const inputs = bindingFactorInputs(group, groupPublicKey, commitments, H4(group, message));
    signers.forEach(({ expected }, i) => {
      expect(toHex(concatBytes(...(inputs[i] as Uint8Array[])))).toBe(expected.bindingFactorInput);
      expect(toHex(encodeScalar(context.bindingFactors[i] as bigint))).toBe(expected.bindingFactor);
    });
  });

  it.each(signers)('round two of signer $expected.identifier', ({ expected, nonces, commitment, share }) => {
    const { identifier } = commitment;
    expect(hexOf(signatureShare(group, context, identifier, share, nonces))).toBe(expected.signatureShare);
    const verifyingShare = group.commit(share);
    const value = decodeScalar(fromHex(expected.signatureShare));
    expect(verifySignatureShare(group, context, identifier, verifyingShare, value)).toBe(true);
    expect(verifySignatureShare(group, context, identifier, verifyingShare, modL(value + 1n))).toBe(false);
  });

  it('the signature', () => {
    const signature = aggregate(
      context,
      signers.map(({ expected }) => decodeScalar(fromHex(expected.signatureShare))),
    );
    expect(toHex(signature)).toBe(vectors.signature);
    const response = decodeScalar(signature.subarray(32));
    expect(verifyAggregate(group, context, group.decodePoint(groupPublicKey), response)).toBe(true);
    expect(verifyAggregate(group, context, group.decodePoint(groupPublicKey), modL(response + 1n))).toBe(false);
    expect(group.verifyEd25519(groupPublicKey, message, signature)).toBe(true);
  });
});

describe('signer lists', () => {
  const [first, second] = commitments as [Commitment, Commitment];

  it.each([
    ['empty', []],
    ['unsorted', [second, first]],
    ['with a signer twice', [first, first]],
    ['with identifier 0', [{ ...first, identifier: 0n }]],
  ])('%s is refused', (_, list) => {
    expect(() => signingContext(group, groupPublicKey, list, message)).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });

  it('a signer outside the list cannot sign', () => {
    const { nonces } = signers[0] as (typeof signers)[number];
    expect(() => signatureShare(group, context, 2n, scalarOf(5n), nonces)).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });

  it('identifiers 1 and 2 have the coefficients 2 and -1', () => {
    expect(interpolatingValue([1n, 2n], 1n)).toBe(2n);
    expect(interpolatingValue([1n, 2n], 2n)).toBe(modL(-1n));
  });
});
