import { gcm } from '@noble/ciphers/aes.js';
import { concatBytes, equalBytes, SecretBytes, YaoError } from '@streaming-yao/core';
import { ClientRoot, Pins, type WrappedRoot, WrappedRootContext } from '@streaming-yao/wire';

const NONCE_BYTES = 12;

/** The client root and what a device without any state has to know beside it. */
export interface RootContents {
  readonly root: SecretBytes;
  readonly keys: readonly { readonly keyIndex: number; readonly publicKey: Uint8Array }[];
}

export interface RootPlace {
  readonly pins: Pins;
  readonly walletId: string;
  readonly rootId: Uint8Array;
}

/**
 * AES-256-GCM; opens for this deployment, wallet, credential and root only.
 * @param key the credential's wrapping key, 32 bytes
 */
export function wrapRoot(
  place: RootPlace,
  credentialId: Uint8Array,
  key: SecretBytes,
  contents: RootContents,
  random: (length: number) => Uint8Array,
): WrappedRoot {
  const { pins, walletId, rootId } = place;
  using plaintext = contents.root.map((root) => ClientRoot.encode({ root, pins: Pins.digest(pins), keys: contents.keys }));
  const nonce = random(NONCE_BYTES);
  const sealed = key.use((keyBytes) =>
    plaintext.use((bytes) => gcm(keyBytes, nonce, contextOf(place, credentialId)).encrypt(bytes)),
  );
  return { walletId, credentialId, rootId, sealed: concatBytes(nonce, sealed) };
}

/** @throws YaoError `unlock_failed` when the key is another one or the record was changed; `request_mismatch` for other pins */
export function unwrapRoot(pins: Pins, key: SecretBytes, { walletId, credentialId, rootId, sealed }: WrappedRoot): RootContents {
  using plaintext = openSealed(key, sealed, contextOf({ pins, walletId, rootId }, credentialId));
  const { root, pins: pinned, keys } = plaintext.use(ClientRoot.decode);
  if (!equalBytes(pinned, Pins.digest(pins))) {
    root.fill(0);
    throw new YaoError('request_mismatch', 'this wallet was made with other role keys than the app’s; use the app that made it', {
      party: 'client',
    });
  }
  return { root: SecretBytes.own(root), keys };
}

function openSealed(key: SecretBytes, sealed: Uint8Array, aad: Uint8Array): SecretBytes {
  try {
    return key.map((keyBytes) => gcm(keyBytes, sealed.subarray(0, NONCE_BYTES), aad).decrypt(sealed.subarray(NONCE_BYTES)));
  } catch {
    throw new YaoError('unlock_failed', 'this credential does not open the wallet; nothing was changed, try another one', {
      party: 'client',
    });
  }
}

function contextOf({ pins, walletId, rootId }: RootPlace, credentialId: Uint8Array): Uint8Array {
  return WrappedRootContext.encode({ deployment: pins.deployment, walletId, credentialId, rootId });
}
