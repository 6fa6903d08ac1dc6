import { concatBytes, type Infer, schema, utf8 } from '@streaming-yao/core';
import { credentialId } from './authority.ts';
import { PROTOCOL, signature } from './field.ts';

/** A credential's signature over the core, and the requester key's over the ceremony id. */
export const Authorization = schema.struct({ credentialId, signature, requesterSignature: signature });
export type Authorization = Infer<typeof Authorization>;

/** What the authorizing credential signs. */
export function authorizationMessage(coreDigest: Uint8Array): Uint8Array {
  return concatBytes(utf8(`${PROTOCOL} authorize\n`), coreDigest);
}

/** What the requester key named in the core signs. */
export function requesterMessage(ceremonyId: Uint8Array): Uint8Array {
  return concatBytes(utf8(`${PROTOCOL} request\n`), ceremonyId);
}
