import { concatBytes, type Infer, schema, utf8 } from '@streaming-yao/core';
import { CredentialProof } from './credential-proof.ts';
import { PROTOCOL, signature } from './field.ts';

/** A credential's proof over the core, and the requester key's signature over the ceremony id. */
export const Authorization = schema.struct({ proof: CredentialProof, requesterSignature: signature });
export type Authorization = Infer<typeof Authorization>;

/** What the authorizing credential approves of. */
export function authorizationMessage(coreDigest: Uint8Array): Uint8Array {
  return concatBytes(utf8(`${PROTOCOL} authorize\n`), coreDigest);
}

/** What the requester key named in the core signs. */
export function requesterMessage(ceremonyId: Uint8Array): Uint8Array {
  return concatBytes(utf8(`${PROTOCOL} request\n`), ceremonyId);
}
