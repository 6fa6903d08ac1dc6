import { type Infer, SecretBytes, schema, utf8, YaoError } from '@streaming-yao/core';
import type { Group } from '@streaming-yao/group';
import { Credential as CredentialRecord, type PasskeyCredential, type Pins, PROTOCOL } from '@streaming-yao/wire';
import { type OpenSession, openSession } from './approval.ts';
import type { Credential, KnownCredential } from './credential.ts';
import { assert, declined, noAnswer, type PasskeyPlace, passkeyCredential, prfUnavailable } from './passkey.ts';
import type { Storage } from './storage.ts';

/** What a device remembers of a wallet's passkey; all of it is public. */
const PasskeyRecord = schema.message(`${PROTOCOL} device-passkey`, {
  passkeyId: schema.bytesBetween(1, 1023),
  /** Absent where the passkey was made on another device. */
  credential: schema.optional(CredentialRecord),
});
type PasskeyRecord = Infer<typeof PasskeyRecord.codec>;

const passkeyName = (walletId: string): string => `passkey/${walletId}`;

/** For which wallet a passkey is, and what the user reads when asked for it. */
export interface EnrolmentOptions extends PasskeyPlace {
  readonly walletId: string;
  /** What the user will see when asked for the passkey. */
  readonly label: string;
  /** Where the device remembers the passkey, so that a broken-off registration goes on with the same one. */
  readonly storage: Storage;
  /** Name of the app or its owner, shown by some authenticators; the domain by default. */
  readonly rpName?: string;
}

/** ES256 over P-256 (COSE algorithm, RFC 9053 section 2.1). */
const ES256 = -7;
/** SPKI of a P-256 key ends with the uncompressed point. */
const POINT_BYTES = 65;

/**
 * The wallet's passkey of this device: the remembered one, else a new one, for which the user is asked. Nothing but the
 * authenticator and this device knows it until a wallet is registered with it.
 * @throws YaoError `approval_declined`, `prf_unavailable`
 */
export async function enrolPasskey(options: EnrolmentOptions): Promise<KnownCredential> {
  const remembered = await recall(options);
  if (remembered?.credential?.kind === 'passkey') return passkeyCredential(remembered.credential, options);
  const credential = await createPasskey(options);
  await remember(options, { passkeyId: credential.passkeyId, credential });
  return passkeyCredential(credential, options);
}

/**
 * A further passkey of a wallet, on an authenticator that has none of it yet; this device goes on using the one it remembers.
 * @param existing the wallet's credentials: an authenticator would replace a passkey that it already has
 * @throws YaoError `approval_declined`, `prf_unavailable`; `invalid_request` where the authenticator has one of these
 */
export async function enrolAnotherPasskey(
  options: Omit<EnrolmentOptions, 'storage'>,
  existing: readonly CredentialRecord[],
): Promise<KnownCredential> {
  const passkeyIds = existing.flatMap((credential) => (credential.kind === 'passkey' ? [credential.passkeyId] : []));
  return passkeyCredential(await createPasskey(options, passkeyIds), options);
}

/** The passkey that this device remembers for a wallet. */
export async function recallPasskey(
  options: PasskeyPlace & Pick<EnrolmentOptions, 'storage' | 'walletId'>,
): Promise<Credential | undefined> {
  const remembered = await recall(options);
  if (!remembered) return undefined;
  const { credential, passkeyId } = remembered;
  return credential?.kind === 'passkey' ? passkeyCredential(credential, options) : passkeyCredential({ passkeyId }, options);
}

/** What a passkey tells a device that knows nothing. */
export interface Discovered {
  readonly walletId: string;
  readonly credential: Credential;
  /** What this answer of the user has unlocked: hand it to the wallet, and nobody is asked twice. */
  readonly session: OpenSession;
}

/**
 * On a device that knows nothing: lets the user choose one of their passkeys, which tells its wallet.
 * @throws YaoError `approval_declined`, `prf_unavailable`, `unknown_wallet` for a passkey of another app
 */
export async function discoverPasskey(
  options: PasskeyPlace &
    Pick<EnrolmentOptions, 'storage'> & { readonly group: Group; readonly pins: Pins; readonly now?: () => number },
): Promise<Discovered> {
  const { group, pins, now = Date.now } = options;
  const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));
  let asserted: Awaited<ReturnType<typeof assert>> | undefined;
  const prove: Credential['prove'] = async (statements) => {
    asserted = await assert(options, statements);
    return asserted;
  };
  const { opened } = await openSession({ prove }, { group, pins, now, random });
  const { passkeyId, userHandle } = asserted ?? {};
  const walletId = userHandle && new TextDecoder().decode(userHandle);
  if (!passkeyId || !walletId) {
    opened.wrappingKey.wipe();
    throw new YaoError('unknown_wallet', 'this passkey names no wallet; choose another one, or recover with the phrase', {
      party: 'client',
    });
  }
  await remember({ ...options, walletId }, { passkeyId, credential: null });
  return { walletId, credential: passkeyCredential({ passkeyId }, options), session: opened };
}

type Place = Pick<EnrolmentOptions, 'storage' | 'walletId'>;

async function recall({ storage, walletId }: Place): Promise<PasskeyRecord | undefined> {
  using record = await storage.get(passkeyName(walletId));
  return record?.use(PasskeyRecord.decode);
}

async function remember({ storage, walletId }: Place, record: PasskeyRecord): Promise<void> {
  using encoded = SecretBytes.own(PasskeyRecord.encode(record));
  await storage.set(passkeyName(walletId), encoded);
}

async function createPasskey(
  options: Omit<EnrolmentOptions, 'storage'>,
  excluded: readonly Uint8Array[] = [],
): Promise<PasskeyCredential> {
  const { walletId, label, rpId, rpName, container = navigator.credentials } = options;
  const publicKey: PublicKeyCredentialCreationOptions = {
    rp: { name: rpName ?? rpId ?? location.hostname, ...(rpId !== undefined && { id: rpId }) },
    user: { id: utf8(walletId) as BufferSource, name: label, displayName: label },
    challenge: crypto.getRandomValues(new Uint8Array(32)),
    pubKeyCredParams: [{ type: 'public-key', alg: ES256 }],
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    attestation: 'none',
    excludeCredentials: excluded.map((id) => ({ type: 'public-key', id: id as BufferSource })),
    extensions: { prf: {} },
  };
  const created = (await container.create({ publicKey }).catch(declined)) as PublicKeyCredential | null;
  if (!created) throw noAnswer();
  const passkeyId = new Uint8Array(created.rawId);
  // Where `enabled` is missing, only an assertion can tell.
  if (created.getClientExtensionResults().prf?.enabled === false) {
    await forgetPasskey(rpId, created.id);
    throw prfUnavailable();
  }
  return { kind: 'passkey', purpose: 'device', publicKey: publicPoint(created), label, passkeyId };
}

function publicPoint(created: PublicKeyCredential): Uint8Array {
  const response = created.response as AuthenticatorAttestationResponse;
  const spki = response.getPublicKey();
  if (!spki || response.getPublicKeyAlgorithm() !== ES256) {
    throw new YaoError('invalid_request', 'this authenticator makes no ES256 passkey; use another one', { party: 'client' });
  }
  return new Uint8Array(spki).slice(-POINT_BYTES);
}

/** Tells the authenticator, where the browser can, that nobody will ask for this passkey. */
async function forgetPasskey(rpId: string | undefined, credentialId: string): Promise<void> {
  const { signalUnknownCredential } = PublicKeyCredential as Partial<SignalApi>;
  await signalUnknownCredential
    ?.call(PublicKeyCredential, { rpId: rpId ?? location.hostname, credentialId })
    .catch(() => undefined);
}

/** WebAuthn section 5.1.10. */
interface SignalApi {
  signalUnknownCredential(options: { readonly rpId: string; readonly credentialId: string }): Promise<void>;
}
