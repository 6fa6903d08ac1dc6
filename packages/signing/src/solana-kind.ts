import { equalBytes, Reader, YaoError } from '@streaming-yao/core';

/** Largest packet of a transaction, its signatures included. */
const PACKET_BYTES = 1_232;
const VERSION_FLAG = 0x80;
const KEY_BYTES = 32;

/**
 * Whether a message is one transaction of Solana, legacy or version 0, to its last byte, that this key has to sign:
 * header, account keys, recent blockhash, instructions, and address table lookups.
 */
export function isSolanaTransaction(message: Uint8Array, publicKey: Uint8Array): boolean {
  if (message.length > PACKET_BYTES) return false;
  try {
    readTransaction(new Reader(message), publicKey);
    return true;
  } catch (error) {
    if (error instanceof YaoError) return false;
    throw error;
  }
}

function readTransaction(reader: Reader, publicKey: Uint8Array): void {
  const first = reader.uint(1);
  const versioned = first >= VERSION_FLAG;
  if (versioned) must(first === VERSION_FLAG);
  const signers = versioned ? reader.uint(1) : first;
  const [readonlySigners, readonlyOthers] = [reader.uint(1), reader.uint(1)];
  const keys = list(reader, () => reader.raw(KEY_BYTES));
  // The first signer pays, and is written to.
  must(readonlySigners < signers && signers + readonlyOthers <= keys.length);
  must(keys.slice(0, signers).some((key) => equalBytes(key, publicKey)));
  reader.raw(KEY_BYTES);
  const instructions = list(reader, () => readInstruction(reader));
  const looked = versioned ? list(reader, () => readLookup(reader)).reduce((sum, count) => sum + count, 0) : 0;
  for (const { program, accounts } of instructions) {
    must(program > 0 && program < keys.length);
    must(accounts.every((account) => account < keys.length + looked));
  }
  reader.end();
}

function readInstruction(reader: Reader) {
  const program = reader.uint(1);
  const accounts = reader.raw(shortLength(reader));
  reader.raw(shortLength(reader));
  return { program, accounts };
}

/** @returns how many addresses are looked up in one table */
function readLookup(reader: Reader): number {
  reader.raw(KEY_BYTES);
  const writable = reader.raw(shortLength(reader));
  return writable.length + reader.raw(shortLength(reader)).length;
}

function list<T>(reader: Reader, read: () => T): readonly T[] {
  return Array.from({ length: shortLength(reader) }, read);
}

/** Solana's compact-u16, in its shortest form only. No list in a packet has more entries than the packet has bytes. */
function shortLength(reader: Reader): number {
  let value = 0;
  for (let shift = 0; shift < 21; shift += 7) {
    const byte = reader.uint(1);
    value += (byte & 0x7f) << shift;
    if (byte < 0x80) {
      must(value <= PACKET_BYTES && (byte > 0 || shift === 0));
      return value;
    }
  }
  return refuse();
}

function must(holds: boolean): asserts holds {
  if (!holds) refuse();
}

function refuse(): never {
  throw new YaoError('invalid_request', 'this is no transaction of Solana');
}
