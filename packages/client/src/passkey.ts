import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { equalBytes, SecretBytes, utf8, YaoError } from '@streaming-yao/core';
import { type CredentialProof, challengeOf, idOfCredential, type PasskeyCredential, statementDigest } from '@streaming-yao/wire';
import type { Credential, KnownCredential, Proven } from './credential.ts';

/** Where passkeys are asked for. */
export interface PasskeyPlace {
  /** Relying party id: the domain that the passkeys belong to; the page's own by default. */
  readonly rpId?: string;
  /** The browser's own by default. */
  readonly container?: Pick<CredentialsContainer, 'create' | 'get'>;
}

/** Input of the PRF that yields the wrapping key; the same everywhere, since a device that only finds a passkey knows no wallet. */
const PRF_INPUT = utf8('streaming-yao/1 client root');
const PRF_BYTES = 32;

/** What an authenticator signed, with the PRF's output: a passkey asserts, and unwraps, with one question to the user. */
interface Asserted extends Proven {
  readonly passkeyId: Uint8Array;
  /** What was stored with the passkey when it was made: the wallet's id. */
  readonly userHandle: Uint8Array | undefined;
}

/**
 * A passkey as a wallet's credential. The PRF's output is read from assertions only; what an authenticator may give at the
 * passkey's creation differs between browsers.
 * @param passkey of an authority, or only its id where a device has just met it
 */
export function passkeyCredential(passkey: PasskeyCredential, place?: PasskeyPlace): KnownCredential;
export function passkeyCredential(passkey: Pick<PasskeyCredential, 'passkeyId'>, place?: PasskeyPlace): Credential;
export function passkeyCredential(
  passkey: PasskeyCredential | Pick<PasskeyCredential, 'passkeyId'>,
  place: PasskeyPlace = {},
): Credential {
  return {
    record: 'publicKey' in passkey ? passkey : undefined,
    id: idOfCredential(passkey),
    prove: (statements) => assert(place, statements, passkey.passkeyId),
  };
}

/**
 * Asks the user for one of their passkeys.
 * @param passkeyId which one; any that the authenticator offers otherwise
 * @throws YaoError `approval_declined`, `prf_unavailable`
 */
export async function assert(
  { rpId, container = navigator.credentials }: PasskeyPlace,
  statements: readonly Uint8Array[],
  passkeyId?: Uint8Array,
): Promise<Asserted> {
  const digests = statements.map(statementDigest);
  const publicKey: PublicKeyCredentialRequestOptions = {
    challenge: challengeOf(digests) as BufferSource,
    allowCredentials: passkeyId ? [{ type: 'public-key', id: passkeyId as BufferSource }] : [],
    userVerification: 'required',
    ...(rpId !== undefined && { rpId }),
    extensions: { prf: { eval: { first: PRF_INPUT as BufferSource } } },
  };
  const credential = (await container.get({ publicKey }).catch(declined)) as PublicKeyCredential | null;
  if (!credential) throw noAnswer();
  const wrappingKey = wrappingKeyOf(credential);
  const rawId = new Uint8Array(credential.rawId);
  if (passkeyId && !equalBytes(rawId, passkeyId)) {
    wrappingKey.wipe();
    throw new YaoError('unlock_failed', 'another passkey answered than the one that was asked for', { party: 'client' });
  }
  const { authenticatorData, clientDataJSON, signature, userHandle } = credential.response as AuthenticatorAssertionResponse;
  const proof: CredentialProof = {
    credentialId: idOfCredential({ passkeyId: rawId }),
    evidence: {
      kind: 'assertion',
      authenticatorData: new Uint8Array(authenticatorData),
      clientDataJson: new Uint8Array(clientDataJSON),
      signature: new Uint8Array(signature),
      batch: digests.length > 1 ? digests : [],
    },
  };
  const proofs = statements.map(() => proof);
  return { proofs, wrappingKey, passkeyId: rawId, userHandle: userHandle ? new Uint8Array(userHandle) : undefined };
}

/** Takes the PRF's output as a key that is used for nothing else. @throws YaoError `prf_unavailable` */
function wrappingKeyOf(credential: PublicKeyCredential): SecretBytes {
  const { first } = credential.getClientExtensionResults().prf?.results ?? {};
  if (!first) throw prfUnavailable();
  const view = ArrayBuffer.isView(first) ? first : new Uint8Array(first);
  using output = SecretBytes.copy(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
  if (output.length !== PRF_BYTES) throw prfUnavailable();
  return output.map((bytes) => hkdf(sha256, bytes, undefined, utf8('streaming-yao/1 credential wrapping'), 32));
}

export function prfUnavailable(): YaoError {
  const why = 'this passkey cannot keep a wallet’s root, since it or this browser has no PRF; use a recovery phrase instead';
  return new YaoError('prf_unavailable', why, { party: 'client' });
}

export function noAnswer(): YaoError {
  return new YaoError('approval_declined', 'no passkey was given; nothing was changed', { party: 'client' });
}

/** Names of the errors that WebAuthn ends a prompt with (WebAuthn sections 5.1.3 and 5.1.4). */
export function declined(error: unknown): never {
  const name = error instanceof Error ? error.name : '';
  if (name === 'NotAllowedError' || name === 'AbortError') throw noAnswer();
  if (name === 'InvalidStateError') {
    throw new YaoError('invalid_request', 'this authenticator has a passkey of this wallet already; use that one', {
      party: 'client',
    });
  }
  if (name === 'SecurityError') {
    throw new YaoError(
      'invalid_request',
      'this page may not ask for passkeys of that domain; check rpId and the page’s address',
      {
        party: 'client',
      },
    );
  }
  if (name === 'NotSupportedError') throw prfUnavailable();
  throw error;
}
