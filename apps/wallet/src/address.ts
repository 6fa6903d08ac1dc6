import { base58 } from '@scure/base';
import { toHex } from '@streaming-yao/core';

/** A Solana address: the public key in base58. */
export const solanaAddress = (publicKey: Uint8Array): string => base58.encode(publicKey);

/** A NEAR implicit account: the public key in lower-case hexadecimal, 64 digits. */
export const nearAccount = (publicKey: Uint8Array): string => toHex(publicKey);
