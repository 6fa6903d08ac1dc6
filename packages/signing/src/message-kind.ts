import { sha256 } from '@noble/hashes/sha2.js';
import { equalBytes, YaoError } from '@streaming-yao/core';
import type { MessageKind } from '@streaming-yao/wire';
import { nearKindOf } from './near-kind.ts';
import { isSolanaTransaction } from './solana-kind.ts';

/** Length of the digests that chains have signed. */
const DIGEST_BYTES = 32;

/**
 * What a message is, by its bytes alone. Nothing that a chain takes for a transaction is `text`; what is recognised as nothing else is
 * `bytes`, so that whoever lets `bytes` be signed lets anything be signed.
 * @param preimage what the message is the SHA-256 of, where the chain signs digests (NEAR)
 * @param publicKey of the key that signs, 32 bytes
 * @throws YaoError `invalid_request` when the message is not the digest of `preimage`
 */
export function kindOf(message: Uint8Array, preimage: Uint8Array | null, publicKey: Uint8Array): MessageKind {
  if (preimage) {
    if (equalBytes(sha256(preimage), message)) return nearKindOf(preimage, publicKey) ?? 'bytes';
    throw new YaoError('invalid_request', 'the message is not the SHA-256 of the preimage; send the bytes that were hashed', {
      party: 'client',
    });
  }
  if (isSolanaTransaction(message, publicKey)) return 'solana-transaction';
  return isText(message) ? 'text' : 'bytes';
}

/** UTF-8 without control characters but tab and line ends, and not of a digest's length: a digest could be found that reads as text. */
function isText(message: Uint8Array): boolean {
  if (message.length === DIGEST_BYTES || hasControls(message)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(message);
    return true;
  } catch {
    return false;
  }
}

/** U+0000 to U+001F and U+007F are one byte of UTF-8, U+0080 to U+009F are C2 and another. */
function hasControls(message: Uint8Array): boolean {
  let before = 0;
  for (let i = 0; i < message.length; i++) {
    const byte = message[i] as number;
    if (byte < 0x20 ? byte !== 0x09 && byte !== 0x0a && byte !== 0x0d : byte === 0x7f) return true;
    if (before === 0xc2 && byte < 0xa0) return true;
    before = byte;
  }
  return false;
}
