import type { Effect } from '@streaming-yao/ceremony/program';
import { run } from '@streaming-yao/ceremony/program';
import { concatBytes, equalBytes, SecretBytes, YaoError } from '@streaming-yao/core';
import type { Group } from '@streaming-yao/group';
import type { CredentialProof } from '@streaming-yao/wire';
import type { Approval } from './approval.ts';
import { hpkeSuite } from './hpke-suite.ts';
import type { RouterConnection } from './router-connection.ts';
import type { Storage } from './storage.ts';

export { Approval } from './approval.ts';

const ENCAPSULATED_BYTES = 32;

/** What the effects of the client's programs act on. */
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
        return openWith(parts.group, effect);
      case 'verify':
        return verify(parts.group, effect);
      case 'sign-with':
        return parts.group.signEd25519(effect.seed, effect.message);
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
  const recipient = await hpkeSuite.DeserializePublicKey(publicKey);
  const { encapsulatedSecret, ciphertext } = await plaintext.use((bytes) => hpkeSuite.Seal(recipient, bytes, { info, aad }));
  return concatBytes(encapsulatedSecret, ciphertext);
}

async function openWith(group: Group, { privateKey, info, aad, envelope }: EffectOf<'open-with'>): Promise<SecretBytes> {
  const publicKey = await hpkeSuite.DeserializePublicKey(group.x25519PublicKey(privateKey));
  const key = { privateKey: await privateKey.use((bytes) => hpkeSuite.DeserializePrivateKey(bytes, false)), publicKey };
  try {
    const enc = envelope.subarray(0, ENCAPSULATED_BYTES);
    return SecretBytes.own(await hpkeSuite.Open(key, enc, envelope.subarray(ENCAPSULATED_BYTES), { info, aad }));
  } catch {
    throw new YaoError('envelope_rejected', 'a package was not sealed to this device for this ceremony');
  }
}

/** The roles' statements are all by Ed25519; what users sign is for the roles to check. */
function verify(group: Group, { algorithm, publicKey, message, signature }: EffectOf<'verify'>): boolean {
  if (algorithm === 'ed25519') return group.verifyEd25519(publicKey, message, signature);
  throw new YaoError('internal', `a device verifies no ${algorithm}`);
}
