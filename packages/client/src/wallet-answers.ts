import type { CeremonyAnswer } from '@streaming-yao/wire';
import type { SignParts } from './signer.ts';

/** What {@link Wallet.register}, {@link Wallet.recover} and {@link Wallet.refresh} come to. */
export interface Registered {
  /** A standard Ed25519 public key, 32 bytes. */
  readonly publicKey: Uint8Array;
  /** Receipt and activation, for whoever wants to check them again. */
  readonly answer: CeremonyAnswer;
}

/** What {@link Wallet.exportKey} comes to. */
export interface Exported {
  /** Text, except for `pkcs8-der`. */
  readonly key: string | Uint8Array;
  readonly answer: CeremonyAnswer;
}

/** A device's lane of a key. */
export interface LaneStatus {
  readonly publicKey: Uint8Array;
  readonly lane: number;
  readonly epoch: number;
  /** Of the ceremony that made this epoch's shares, 32 bytes. */
  readonly ceremonyId: Uint8Array;
  /** Whether a second derivation has come to the same public key. */
  readonly derivationConfirmed: boolean;
}

/** Which of the wallet's keys; the first one by default. */
export interface KeyChoice {
  readonly keyIndex?: number;
}

/** How a message is signed. */
export type SignChoice = KeyChoice & Pick<SignParts, 'preimage' | 'session'>;
