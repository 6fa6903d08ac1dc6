import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import type { Transaction } from '@streaming-yao/ceremony/program';
import { equalBytes, SecretBytes } from '@streaming-yao/core';
import { type Credential, type CredentialProof, idOfCredential } from '@streaming-yao/wire';
import { signEd25519 } from './signatures.ts';
import type { Tape } from './tape.ts';

interface OwnCredential {
  readonly credential: Credential;
  readonly secret: SecretBytes;
}

/** A user's device: its credentials, and its client root. */
export class Device {
  readonly name: string;
  /** 32 bytes. */
  readonly root: SecretBytes;
  readonly #credentials: readonly OwnCredential[];

  private constructor(name: string, root: SecretBytes, credentials: readonly OwnCredential[]) {
    this.name = name;
    this.root = root;
    this.#credentials = credentials;
  }

  static create(name: string, tape: Tape): Device {
    return new Device(name, SecretBytes.own(tape.bytes(32)), [newCredential('p256', tape), newCredential('ed25519', tape)]);
  }

  /** Another device of the same user, on which the same credentials are at hand and have unwrapped the root. */
  sibling(name: string): Device {
    return new Device(name, this.root, this.#credentials);
  }

  get credentials(): readonly Credential[] {
    return this.#credentials.map(({ credential }) => credential);
  }

  authorize(credentialId: Uint8Array, message: Uint8Array): CredentialProof {
    const own = this.#credentials.find(({ credential }) => equalBytes(idOfCredential(credential), credentialId));
    if (!own) throw new Error(`${this.name} has no such credential`);
    const signature =
      own.credential.kind === 'ed25519' ? signEd25519(own.secret, message) : own.secret.use((key) => p256.sign(message, key));
    return { credentialId, evidence: { kind: 'signature', signature } };
  }

  keep(name: string, secret: SecretBytes | null): (transaction: Transaction) => void {
    return (tx) => {
      if (secret) secret.use((bytes) => tx.put('kept', name, bytes));
      else tx.delete('kept', name);
    };
  }

  recall(name: string): (transaction: Transaction) => SecretBytes | undefined {
    return (tx) => {
      const kept = tx.get('kept', name);
      return kept && SecretBytes.own(kept);
    };
  }
}

function newCredential(kind: 'ed25519' | 'p256', tape: Tape): OwnCredential {
  const secret = tape.bytes(32);
  const publicKey = kind === 'ed25519' ? ed25519.getPublicKey(secret) : p256.getPublicKey(secret, false);
  return { credential: { kind, purpose: 'device', publicKey, label: kind }, secret: SecretBytes.own(secret) };
}
