import { ed25519, x25519 } from '@noble/curves/ed25519.js';
import type { Effect } from '@streaming-yao/ceremony/program';
import { run } from '@streaming-yao/ceremony/program';
import { concatBytes, equalBytes, SecretBytes, YaoError } from '@streaming-yao/core';
import type { Group } from '@streaming-yao/group';
import type { CredentialProof } from '@streaming-yao/wire';
import { AEAD_AES_256_GCM, CipherSuite, KDF_HKDF_SHA256, KEM_DHKEM_X25519_HKDF_SHA256 } from 'hpke';
import type { Approval } from './approval.ts';
import type { RouterConnection } from './router-connection.ts';
import type { Storage } from './storage.ts';

export { Approval } from './approval.ts';

const suite = new CipherSuite(KEM_DHKEM_X25519_HKDF_SHA256, KDF_HKDF_SHA256, AEAD_AES_256_GCM);
const ENCAPSULATED_BYTES = 32;

export interface DeviceParts {
  readonly group: Group;
  readonly router: RouterConnection;
  readonly storage: Storage;
  readonly approval: Approval;
}

/** Performs the effects of the client's programs on a device. */
export function createPerformer(parts: DeviceParts): (effect: Effect) => unknown {
  const perform = (effect: Effect): unknown => {
    switch (effect.kind) {
      case 'seal':
        return seal(effect);
      case 'open-with':
        return openWith(effect);
      case 'verify':
        return verify(parts.group, effect);
      case 'sign-with':
        return effect.seed.use((seed) => ed25519.sign(effect.message, seed));
      case 'authorize':
        return approve(parts.approval, effect);
      case 'ask':
        return parts.router(effect.path, effect.body);
      case 'keep':
        return parts.storage.set(effect.name, effect.secret ?? undefined);
      case 'recall':
        return parts.storage.get(effect.name);
      case 'all':
        return Promise.all(effect.programs.map((program) => run(program, perform)));
      default:
        throw new YaoError('internal', `a device performs no effect ${effect.kind}`);
    }
  };
  return perform;
}

type EffectOf<K extends Effect['kind']> = Extract<Effect, { kind: K }>;

function approve(approval: Approval, { credentialId, message }: EffectOf<'authorize'>): Promise<CredentialProof> {
  if (equalBytes(approval.credential.id, credentialId)) return approval.prove(message);
  throw new YaoError('unlock_failed', 'this device does not have that credential', { party: 'client' });
}

async function seal({ publicKey, info, aad, plaintext }: EffectOf<'seal'>): Promise<Uint8Array> {
  const recipient = await suite.DeserializePublicKey(publicKey);
  const { encapsulatedSecret, ciphertext } = await plaintext.use((bytes) => suite.Seal(recipient, bytes, { info, aad }));
  return concatBytes(encapsulatedSecret, ciphertext);
}

async function openWith({ privateKey, info, aad, envelope }: EffectOf<'open-with'>): Promise<SecretBytes> {
  const publicKey = await suite.DeserializePublicKey(privateKey.use((bytes) => x25519.getPublicKey(bytes)));
  const key = { privateKey: await privateKey.use((bytes) => suite.DeserializePrivateKey(bytes, false)), publicKey };
  try {
    const enc = envelope.subarray(0, ENCAPSULATED_BYTES);
    return SecretBytes.own(await suite.Open(key, enc, envelope.subarray(ENCAPSULATED_BYTES), { info, aad }));
  } catch {
    throw new YaoError('envelope_rejected', 'a package was not sealed to this device for this ceremony');
  }
}

/** The roles' statements are all by Ed25519; what users sign is for the roles to check. */
function verify(group: Group, { algorithm, publicKey, message, signature }: EffectOf<'verify'>): boolean {
  if (algorithm === 'ed25519') return group.verifyEd25519(publicKey, message, signature);
  throw new YaoError('internal', `a device verifies no ${algorithm}`);
}
