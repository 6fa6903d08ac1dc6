import { blake3 } from '@noble/hashes/blake3.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { equalBytes, type SecretBytes, YaoError } from '@streaming-yao/core';
import { BASE_OTS, bitAt } from './base.ts';
import { ELEMENT_WORDS, multiplyAdd } from './gf128.ts';
import { type BlockHash, expandSeeds, hashRows, ROW_BYTES } from './streams.ts';
import { transposeColumns } from './transpose.ts';
import { asWords } from './words.ts';

const ELEMENT_BYTES = 16;
const PROOF_BYTES = 32;

/** Four keys of 32 bytes, each for one purpose in one session. */
export type ExtensionKeys = {
  /** Expands column seeds. */
  readonly columns: SecretBytes;
  /** Draws the coefficients of the check from what was sent. */
  readonly coefficients: SecretBytes;
  /** Hashes the checked columns. */
  readonly proof: SecretBytes;
  /** Hashes rows to pads. */
  readonly pads: SecretBytes;
};

/** Choices are checked in blocks of 128; one more block of random choices hides their sum. */
function layout(count: number): { blocks: number; stride: number; matrixBytes: number } {
  const blocks = Math.ceil(count / 128);
  const stride = (blocks + 1) * ELEMENT_BYTES;
  return { blocks, stride, matrixBytes: BASE_OTS * stride };
}

/** Bytes of the receiver's message for `count` choices: 128 columns, 16 bytes of checked choices, 32 of checked columns. */
export function extensionBytes(count: number): number {
  return layout(count).matrixBytes + ELEMENT_BYTES + PROOF_BYTES;
}

function xorInto(into: Uint8Array, at: number, from: Uint8Array): void {
  for (let i = 0; i < from.length; i++) into[at + i] = into[at + i]! ^ from[i]!;
}

/** Fiat-Shamir: 128-bit coefficients, one for each block, from the whole matrix under a key that names the session. */
function drawCoefficients(keys: ExtensionKeys, matrix: Uint8Array, blocks: number): Uint32Array {
  return asWords(keys.coefficients.use((key) => blake3(sha256(matrix), { key, dkLen: blocks * ELEMENT_BYTES })));
}

/** sum over blocks of coefficient * block, plus the last block, for each column of `stride` bytes: 16 bytes a column. */
function checkColumns(coefficients: Uint32Array, columns: Uint8Array, stride: number): Uint8Array {
  const source = asWords(columns);
  const sums = new Uint32Array((columns.length / stride) * ELEMENT_WORDS);
  const blocks = coefficients.length / ELEMENT_WORDS;
  for (let at = 0, column = 0; at < sums.length; at += ELEMENT_WORDS, column += stride / 4) {
    for (let word = 0; word < ELEMENT_WORDS; word++) sums[at + word] = source[column + blocks * ELEMENT_WORDS + word]!;
    for (let block = 0; block < coefficients.length; block += ELEMENT_WORDS) {
      multiplyAdd(sums, at, coefficients, block, source, column + block);
    }
  }
  return new Uint8Array(sums.buffer);
}

function proofOf(keys: ExtensionKeys, checked: Uint8Array): Uint8Array {
  return keys.proof.use((key) => hmac(sha256, key, checked));
}

/** What the receiver keeps until the sender has answered. */
export interface ReceiverExtension {
  readonly message: Uint8Array;
  /** Row i of the matrix for each choice, 16 bytes. */
  readonly rows: Uint8Array;
}

/**
 * Receiver's side of IKNP (Ishai, Kilian, Nissim, Petrank, Crypto 2003) with the consistency check of Keller, Orsini and Scholl
 * in its corrected form (Crypto 2015, full version of 2022, figure 10; Roy, SoftSpokenOT, Crypto 2022): the check multiplies whole
 * blocks of each column, so 128 extra rows hide the choices and 2^-128 bounds a lie. The columns' sums travel as one hash: the
 * sender computes what they must be.
 * @param seeds 128 pairs of 16 bytes
 * @param choices `count` bits, bit i = byte i>>3, bit i&7
 * @param mask 16 fresh random bytes
 */
export function extendReceiver(
  engine: BlockHash,
  keys: ExtensionKeys,
  seeds: Uint8Array,
  choices: Uint8Array,
  mask: Uint8Array,
): ReceiverExtension {
  const { blocks, stride, matrixBytes } = layout(choices.length * 8);
  const extended = new Uint8Array(stride);
  extended.set(choices);
  extended.set(mask, stride - ELEMENT_BYTES);
  const pairs = keys.columns.use((key) => expandSeeds(engine, key, seeds, stride));
  const message = new Uint8Array(extensionBytes(choices.length * 8));
  const columns = new Uint8Array(matrixBytes);
  for (let column = 0; column < BASE_OTS; column++) {
    const zero = pairs.subarray(2 * column * stride, (2 * column + 1) * stride);
    columns.set(zero, column * stride);
    message.set(zero, column * stride);
    xorInto(message, column * stride, pairs.subarray((2 * column + 1) * stride, (2 * column + 2) * stride));
    xorInto(message, column * stride, extended);
  }
  const coefficients = drawCoefficients(keys, message.subarray(0, matrixBytes), blocks);
  const checked = checkColumns(coefficients, columns, stride);
  message.set(checkColumns(coefficients, extended, stride), matrixBytes);
  message.set(proofOf(keys, checked), matrixBytes + ELEMENT_BYTES);
  const rows = transposeColumns(columns, stride, choices.length * 8);
  for (const secret of [extended, pairs, columns, checked]) secret.fill(0);
  return { message, rows };
}

/**
 * Sender's side: checks, then transposes.
 * @param seeds 128 chosen seeds of 16 bytes
 * @param secret the 128 base choices, 16 bytes
 * @returns row i for each of `count` choices: the receiver's row, plus `secret` where the choice is 1
 * @throws YaoError `ot_check_failed` when the message is not of one choice vector or has another length; nothing was derived then
 */
export function extendSender(
  engine: BlockHash,
  keys: ExtensionKeys,
  seeds: Uint8Array,
  secret: Uint8Array,
  message: Uint8Array,
  count: number,
): Uint8Array {
  const { blocks, stride, matrixBytes } = layout(count);
  if (message.length !== extensionBytes(count)) {
    throw new YaoError('ot_check_failed', `the choices have ${message.length} bytes, expected ${extensionBytes(count)}`);
  }
  const columns = keys.columns.use((key) => expandSeeds(engine, key, seeds, stride));
  for (let column = 0; column < BASE_OTS; column++) {
    const mask = -bitAt(secret, column);
    for (let i = column * stride; i < (column + 1) * stride; i++) columns[i] = columns[i]! ^ (message[i]! & mask);
  }
  const checked = checkColumns(drawCoefficients(keys, message.subarray(0, matrixBytes), blocks), columns, stride);
  const choiceSum = message.subarray(matrixBytes, matrixBytes + ELEMENT_BYTES);
  for (let column = 0; column < BASE_OTS; column++) {
    const mask = -bitAt(secret, column);
    for (let i = 0; i < ELEMENT_BYTES; i++) {
      const at = column * ELEMENT_BYTES + i;
      checked[at] = checked[at]! ^ (choiceSum[i]! & mask);
    }
  }
  const agreed = equalBytes(proofOf(keys, checked), message.subarray(matrixBytes + ELEMENT_BYTES));
  const rows = agreed ? transposeColumns(columns, stride, count) : undefined;
  columns.fill(0);
  checked.fill(0);
  if (!rows) throw new YaoError('ot_check_failed', 'the choices fail their consistency check; destroy this pairing');
  return rows;
}

/**
 * Both ciphertexts of each OT: `message0 xor pad0`, `message1 xor pad1`.
 * @param zeroMessages 16 bytes for each OT
 * @param difference 16 bytes: message1 = message0 xor difference
 * @returns 32 bytes for each OT
 */
export function maskMessages(
  engine: BlockHash,
  keys: ExtensionKeys,
  rows: Uint8Array,
  secret: Uint8Array,
  zeroMessages: Uint8Array,
  difference: Uint8Array,
): Uint8Array {
  const shifted = rows.slice();
  for (let at = 0; at < rows.length; at += ROW_BYTES) xorInto(shifted, at, secret);
  const [pads0, pads1] = keys.pads.use((key) => [hashRows(engine, key, rows), hashRows(engine, key, shifted)] as const);
  const masked = new Uint8Array(2 * rows.length);
  for (let at = 0; at < rows.length; at += ROW_BYTES) {
    for (let i = 0; i < ROW_BYTES; i++) {
      masked[2 * at + i] = pads0[at + i]! ^ zeroMessages[at + i]!;
      masked[2 * at + ROW_BYTES + i] = pads1[at + i]! ^ zeroMessages[at + i]! ^ difference[i]!;
    }
  }
  for (const spent of [shifted, pads0, pads1]) spent.fill(0);
  return masked;
}

/** The chosen message of each OT, 16 bytes each. */
export function unmaskMessages(
  engine: BlockHash,
  keys: ExtensionKeys,
  rows: Uint8Array,
  choices: Uint8Array,
  masked: Uint8Array,
): Uint8Array {
  const messages = keys.pads.use((key) => hashRows(engine, key, rows));
  for (let row = 0; row * ROW_BYTES < rows.length; row++) {
    const at = row * ROW_BYTES;
    const mask = -bitAt(choices, row);
    for (let i = 0; i < ROW_BYTES; i++) {
      const [zero, one] = [masked[2 * at + i]!, masked[2 * at + ROW_BYTES + i]!];
      messages[at + i] = messages[at + i]! ^ zero ^ ((zero ^ one) & mask);
    }
  }
  return messages;
}
