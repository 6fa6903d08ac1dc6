import { ristretto255, ristretto255_hasher } from '@noble/curves/ed25519.js';
import { YaoError } from '@streaming-yao/core';
import { encodeFields, extractKey } from './derivation.ts';

const { Point } = ristretto255;
type Element = InstanceType<typeof Point>;

/** Number of base OTs: one for each column of the extension. */
export const BASE_OTS = 128;
/** Bytes of the receiver's message: two group elements for each OT. */
export const BASE_REQUEST_BYTES = BASE_OTS * 64;
/** Bytes of one output key. */
export const BASE_KEY_BYTES = 32;

const HASH_TO_GROUP = { DST: 'streaming-yao/1 engine base-ot ristretto255_XMD:SHA-512_R255MAP_RO_' };

/**
 * Decodes a group element (RFC 9496 section 4.3.1).
 * @throws YaoError `pairing_invalid` for a non-canonical encoding, a string off the group, or the identity
 */
export function decodeElement(bytes: Uint8Array): Element {
  let element: Element;
  try {
    element = Point.fromBytes(bytes);
  } catch {
    throw new YaoError('pairing_invalid', 'the peer sent bytes that are no ristretto255 element; start a new pairing');
  }
  return nonZero(element);
}

function nonZero(element: Element): Element {
  if (element.is0()) throw new YaoError('pairing_invalid', 'the peer forced the identity element; start a new pairing');
  return element;
}

/** A scalar from 64 uniform bytes, little-endian; never zero. */
export function scalarFrom(uniform: Uint8Array): bigint {
  const wide = uniform.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  return (wide % (Point.Fn.ORDER - 1n)) + 1n;
}

/** The random oracle of Masny-Rindal: from the sibling element to the group, one oracle for each OT and branch. */
function siblingMask(session: Uint8Array, index: number, branch: number, sibling: Uint8Array): Element {
  return ristretto255_hasher.hashToCurve(encodeFields('base-ot mask', [session, index, branch, sibling]), HASH_TO_GROUP);
}

function outputKey(transcript: Uint8Array, index: number, branch: number, shared: Element): Uint8Array {
  const encoded = nonZero(shared).toBytes();
  const key = extractKey(encoded, BASE_KEY_BYTES, 'base-ot key', transcript, index, branch);
  encoded.fill(0);
  return key;
}

/** Copies `left` (bit 0) or `right` (bit 1) to `into`, without a branch. */
function select(into: Uint8Array, left: Uint8Array, right: Uint8Array, bit: number): void {
  const mask = -bit;
  for (let i = 0; i < into.length; i++) into[i] = (left[i] as number) ^ (((left[i] as number) ^ (right[i] as number)) & mask);
}

export function bitAt(bits: Uint8Array, index: number): number {
  return ((bits[index >> 3] as number) >> (index & 7)) & 1;
}

/** What the base-OT receiver draws. */
export interface ReceiverSecrets {
  /** 128 choice bits, 16 bytes, bit i = byte i>>3, bit i&7. */
  readonly choices: Uint8Array;
  /** One exponent for each OT. */
  readonly exponents: readonly bigint[];
  /** 64 uniform bytes for each OT: the element whose logarithm nobody knows. */
  readonly uniform: Uint8Array;
}

/**
 * The receiver's message of 128 endemic OTs (Masny, Rindal: Endemic Oblivious Transfer, CCS 2019, figure 6):
 * the pair (r_0, r_1) where r_c + H_c(r_{1-c}) has a logarithm the receiver knows and r_{1-c} is uniform.
 * @param session binds the random oracles to one pairing context
 * @returns 8,192 bytes
 */
export function requestBaseOts(secrets: ReceiverSecrets, session: Uint8Array): Uint8Array {
  const request = new Uint8Array(BASE_REQUEST_BYTES);
  secrets.exponents.forEach((exponent, index) => {
    const choice = bitAt(secrets.choices, index);
    const other = ristretto255_hasher.deriveToCurve!(secrets.uniform.subarray(index * 64, index * 64 + 64)).toBytes();
    const chosen = Point.BASE.multiply(exponent)
      .subtract(siblingMask(session, index, choice, other))
      .toBytes();
    select(request.subarray(index * 64, index * 64 + 32), chosen, other, choice);
    select(request.subarray(index * 64 + 32, index * 64 + 64), other, chosen, choice);
  });
  return request;
}

/**
 * The receiver's 128 keys.
 * @param reply the sender's element, 32 bytes
 * @returns 128 keys of 32 bytes, one for each choice
 * @throws YaoError `pairing_invalid`
 */
export function receiveBaseKeys(secrets: ReceiverSecrets, transcript: Uint8Array, reply: Uint8Array): Uint8Array {
  const element = decodeElement(reply).precompute(6);
  const keys = new Uint8Array(BASE_OTS * BASE_KEY_BYTES);
  secrets.exponents.forEach((exponent, index) => {
    const key = outputKey(transcript, index, bitAt(secrets.choices, index), element.multiply(exponent));
    keys.set(key, index * BASE_KEY_BYTES);
    key.fill(0);
  });
  return keys;
}

/** The sender's one element, used for all 128 OTs; the keys differ by index and transcript. 32 bytes. */
export function baseReply(exponent: bigint): Uint8Array {
  return Point.BASE.multiply(exponent).toBytes();
}

/**
 * The sender's 256 keys.
 * @param transcript names everything both sides sent
 * @returns for each OT the key of choice 0, then of choice 1, 32 bytes each
 * @throws YaoError `pairing_invalid`
 */
export function sendBaseKeys(exponent: bigint, session: Uint8Array, transcript: Uint8Array, request: Uint8Array): Uint8Array {
  const keys = new Uint8Array(2 * BASE_OTS * BASE_KEY_BYTES);
  for (let index = 0; index < BASE_OTS; index++) {
    const encoded = [0, 32].map((offset) => request.subarray(index * 64 + offset, index * 64 + offset + 32));
    const elements = encoded.map(decodeElement);
    for (const branch of [0, 1] as const) {
      const mask = siblingMask(session, index, branch, encoded[1 - branch] as Uint8Array);
      const shared = nonZero((elements[branch] as Element).add(mask)).multiply(exponent);
      const key = outputKey(transcript, index, branch, shared);
      keys.set(key, (2 * index + branch) * BASE_KEY_BYTES);
      key.fill(0);
    }
  }
  return keys;
}
