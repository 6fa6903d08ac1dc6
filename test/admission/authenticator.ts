import { createHmac, randomBytes } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, equalBytes, fromHex, toBase64Url, utf8 } from '@streaming-yao/core';

/** SubjectPublicKeyInfo of a P-256 key, up to its point (RFC 5480). */
const SPKI_P256 = fromHex('3059301306072a8648ce3d020106082a8648ce3d030107034200');

const random = (length: number): Uint8Array<ArrayBuffer> => Uint8Array.from(randomBytes(length));
const bytesOf = (source: BufferSource): Uint8Array<ArrayBuffer> =>
  source instanceof ArrayBuffer
    ? new Uint8Array(source)
    : new Uint8Array(source.buffer as ArrayBuffer, source.byteOffset, source.byteLength);

interface Resident {
  readonly id: Uint8Array<ArrayBuffer>;
  readonly secret: Uint8Array;
  readonly prfKey: Uint8Array;
  readonly userHandle: Uint8Array<ArrayBuffer>;
}

/** An authenticator with PRF in software, and the browser before it: what tests in Node give a page's code for `navigator.credentials`. */
export class Authenticator {
  readonly #origin: string;
  readonly #residents: Resident[] = [];

  constructor(origin: string) {
    this.#origin = origin;
  }

  get container(): Pick<CredentialsContainer, 'create' | 'get'> {
    return {
      create: async (options) => this.#create(options?.publicKey as PublicKeyCredentialCreationOptions) as unknown as Credential,
      get: async (options) => this.#get(options?.publicKey as PublicKeyCredentialRequestOptions) as unknown as Credential,
    };
  }

  #create({ user }: PublicKeyCredentialCreationOptions) {
    const resident = { id: random(16), secret: p256.utils.randomSecretKey(), prfKey: random(32), userHandle: bytesOf(user.id) };
    this.#residents.push(resident);
    const spki = concatBytes(SPKI_P256, p256.getPublicKey(resident.secret, false));
    return {
      ...{ id: toBase64Url(resident.id), rawId: resident.id.buffer },
      getClientExtensionResults: () => ({ prf: { enabled: true } }),
      response: { getPublicKey: () => Uint8Array.from(spki).buffer, getPublicKeyAlgorithm: () => -7 },
    };
  }

  #get({ challenge, rpId = '', allowCredentials = [], extensions }: PublicKeyCredentialRequestOptions) {
    const wanted = (resident: Resident): boolean =>
      allowCredentials.length === 0 || allowCredentials.some(({ id }) => equalBytes(bytesOf(id), resident.id));
    const resident = this.#residents.find(wanted);
    if (!resident) throw new DOMException('no such passkey', 'NotAllowedError');
    const challengeText = toBase64Url(bytesOf(challenge));
    const clientData = { type: 'webauthn.get', challenge: challengeText, origin: this.#origin, crossOrigin: false };
    const clientDataJSON = utf8(JSON.stringify(clientData));
    const authenticatorData = concatBytes(sha256(utf8(rpId)), fromHex('1d00000000'));
    const signature = p256.sign(concatBytes(authenticatorData, sha256(clientDataJSON)), resident.secret, { format: 'der' });
    const input = bytesOf(extensions?.prf?.eval?.first as BufferSource);
    const first = Uint8Array.from(createHmac('sha256', resident.prfKey).update(input).digest());
    return {
      rawId: resident.id.buffer,
      getClientExtensionResults: () => ({ prf: { results: { first } } }),
      response: { authenticatorData, clientDataJSON, signature, userHandle: resident.userHandle },
    };
  }
}
