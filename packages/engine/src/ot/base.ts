import { sha512 } from '@noble/hashes/sha2.js';
import { SecretBytes, YaoError } from '@streaming-yao/core';
import type { Group, Ristretto } from '@streaming-yao/group';
import { encodeFields, extractKey } from './derivation.ts';

/** What a pairing needs of the group. */
export type PairingGroup = Pick<Group, 'reduceScalar' | 'ristretto'>;

/** Number of base OTs: one for each column of the extension. */
export const BASE_OTS = 128;
/** Bytes of a group element and of one output key. */
const ELEMENT_BYTES = 32;
export const BASE_KEY_BYTES = 32;
/** Bytes of the receiver's message: two group elements for each OT. */
export const BASE_REQUEST_BYTES = BASE_OTS * 2 * ELEMENT_BYTES;
/** Bytes that make a uniform scalar or element. */
export const UNIFORM_BYTES = 64;

/** Bit `index` of `bits`: bit i is bit i & 7 of byte i >> 3. */
export function bitAt(bits: Uint8Array, index: number): number {
  return ((bits[index >> 3] as number) >> (index & 7)) & 1;
}

/** A scalar from 64 uniform bytes, which are wiped. */
export function scalarFrom(group: PairingGroup, uniform: Uint8Array): SecretBytes {
  using wide = SecretBytes.own(uniform);
  return group.reduceScalar(wide);
}

/**
 * Runs `use`, which decodes what the peer sent.
 * @throws YaoError `pairing_invalid` where that is no element of the group, or the identity
 */
export function decoding<T>(use: () => T): T {
  try {
    return use();
  } catch (error) {
    if (!(error instanceof YaoError) || error.code !== 'invalid_point') throw error;
    throw new YaoError('pairing_invalid', 'the peer sent what is no group element of this protocol; start a new pairing');
  }
}

/** The random oracle from the sibling element to the group; each OT and branch of a session has its own. */
function maskOf(ristretto: Ristretto, session: Uint8Array, index: number, branch: number, sibling: Uint8Array): Uint8Array {
  return ristretto.fromUniform(sha512(encodeFields('base-ot mask', [session, index, branch, sibling])));
}

/** Puts the key of `shared` in its place and wipes it elsewhere. */
function putKey(
  keys: Uint8Array,
  place: number,
  transcript: Uint8Array,
  index: number,
  branch: number,
  shared: Uint8Array,
): void {
  const key = extractKey(shared, BASE_KEY_BYTES, 'base-ot key', transcript, index, branch);
  keys.set(key, place * BASE_KEY_BYTES);
  key.fill(0);
  shared.fill(0);
}

/** Copies `left` (bit 0) or `right` (bit 1) to `into`, without a branch. */
function select(into: Uint8Array, left: Uint8Array, right: Uint8Array, bit: number): void {
  const mask = -bit;
  for (let i = 0; i < into.length; i++) into[i] = (left[i] as number) ^ (((left[i] as number) ^ (right[i] as number)) & mask);
}

/** What the receiver draws. */
export interface ReceiverSecrets {
  /** 128 choice bits, 16 bytes, bit i = byte i>>3, bit i&7. */
  readonly choices: Uint8Array;
  /** One exponent for each OT. */
  readonly exponents: readonly SecretBytes[];
  /** 64 uniform bytes for each OT: they make the element whose logarithm nobody knows. */
  readonly uniform: Uint8Array;
}

/**
 * The receiver's message of 128 endemic OTs (Masny, Rindal: Endemic Oblivious Transfer, CCS 2019) over ristretto255: the pair
 * (r_0, r_1) where r_c + H_c(r_{1-c}) has a logarithm that the receiver knows and r_{1-c} is uniform.
 * @param session binds the random oracles to one pairing context
 * @returns 8,192 bytes
 */
export function requestBaseOts({ ristretto }: PairingGroup, secrets: ReceiverSecrets, session: Uint8Array): Uint8Array {
  const request = new Uint8Array(BASE_REQUEST_BYTES);
  secrets.exponents.forEach((exponent, index) => {
    const choice = bitAt(secrets.choices, index);
    const other = ristretto.fromUniform(secrets.uniform.subarray(index * UNIFORM_BYTES, (index + 1) * UNIFORM_BYTES));
    const mask = maskOf(ristretto, session, index, choice, other);
    const chosen = ristretto.subtract(ristretto.baseMultiply(exponent), mask);
    const [zero, one] = [0, 1].map((branch) => elementAt(request, index, branch)) as [Uint8Array, Uint8Array];
    select(zero, chosen, other, choice);
    select(one, other, chosen, choice);
  });
  return request;
}

function elementAt(request: Uint8Array, index: number, branch: number): Uint8Array {
  const start = (2 * index + branch) * ELEMENT_BYTES;
  return request.subarray(start, start + ELEMENT_BYTES);
}

/**
 * The receiver's keys.
 * @param reply the sender's one element, 32 bytes
 * @returns 128 keys of 32 bytes, one for each choice
 * @throws YaoError `pairing_invalid`
 */
export function receiveBaseKeys(
  { ristretto }: PairingGroup,
  secrets: ReceiverSecrets,
  transcript: Uint8Array,
  reply: Uint8Array,
): Uint8Array {
  const keys = new Uint8Array(BASE_OTS * BASE_KEY_BYTES);
  secrets.exponents.forEach((exponent, index) => {
    const shared = decoding(() => ristretto.multiply(exponent, reply));
    putKey(keys, index, transcript, index, bitAt(secrets.choices, index), shared);
  });
  return keys;
}

/**
 * The sender's keys. His one element serves all OTs: the keys differ by index, branch and transcript.
 * @param transcript names everything both sides sent
 * @returns for each OT the key of choice 0, then of choice 1, 32 bytes each
 * @throws YaoError `pairing_invalid`
 */
export function sendBaseKeys(
  { ristretto }: PairingGroup,
  exponent: SecretBytes,
  session: Uint8Array,
  transcript: Uint8Array,
  request: Uint8Array,
): Uint8Array {
  const keys = new Uint8Array(2 * BASE_OTS * BASE_KEY_BYTES);
  for (let index = 0; index < BASE_OTS; index++) {
    for (const branch of [0, 1]) {
      const mask = maskOf(ristretto, session, index, branch, elementAt(request, index, 1 - branch));
      const shared = decoding(() => ristretto.multiply(exponent, ristretto.add(elementAt(request, index, branch), mask)));
      putKey(keys, 2 * index + branch, transcript, index, branch, shared);
    }
  }
  return keys;
}
