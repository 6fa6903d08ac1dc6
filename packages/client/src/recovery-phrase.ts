import { entropyToMnemonic, mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { SecretBytes, YaoError } from '@streaming-yao/core';
import type { Group } from '@streaming-yao/group';
import { ed25519Credential, type KnownCredential } from './credential.ts';

/** A new recovery phrase: 24 words of the English BIP-39 list, 256 bits. Show it once; nobody stores it. */
export function createRecoveryPhrase(random: (length: number) => Uint8Array): string {
  using entropy = SecretBytes.own(random(32));
  return entropy.use((bytes) => entropyToMnemonic(bytes, wordlist));
}

/** The credential that a phrase stands for. @throws YaoError `unlock_failed` for words or a checksum that are wrong */
export function recoveryCredential(group: Group, phrase: string): KnownCredential {
  let entropy: Uint8Array;
  try {
    entropy = mnemonicToEntropy(phrase.trim().toLowerCase().split(/\s+/).join(' '), wordlist);
  } catch {
    throw new YaoError('unlock_failed', 'this is not a recovery phrase: check the 24 words and their order', { party: 'client' });
  }
  if (entropy.length !== 32) throw new YaoError('unlock_failed', 'a recovery phrase has 24 words', { party: 'client' });
  using secret = SecretBytes.own(entropy);
  return ed25519Credential(group, secret, 'recovery', 'recovery phrase');
}
