import { fromBase64Url, toBase64Url, utf8, YaoError } from '@streaming-yao/core';

/**
 * JWS with Ed25519 and a protected header that is fixed per purpose and signer (RFC 7515, RFC 8037).
 * Only the exact header is accepted, so there is no algorithm to negotiate and nothing in it to interpret.
 */
export interface JwsHeader {
  readonly typ: string;
  readonly kid: string;
}

const headerText = (header: JwsHeader): string => JSON.stringify({ alg: 'EdDSA', typ: header.typ, kid: header.kid });

/** The protected header in base64url. */
export const protectedHeader = (header: JwsHeader): string => toBase64Url(utf8(headerText(header)));

/** What is signed: `protected.payload`. */
export function signingInput(header: JwsHeader, payload: Uint8Array): Uint8Array {
  return utf8(`${protectedHeader(header)}.${toBase64Url(payload)}`);
}

export function toCompact(header: JwsHeader, payload: Uint8Array, signature: Uint8Array): string {
  return `${protectedHeader(header)}.${toBase64Url(payload)}.${toBase64Url(signature)}`;
}

/** Splits a compact JWS whose header must be exactly `header`. @throws YaoError with `code` */
export function fromCompact(
  header: JwsHeader,
  compact: string,
  code: 'grant_invalid' | 'receipt_invalid',
): { readonly payload: Uint8Array; readonly signature: Uint8Array } {
  const [found, payload, signature, ...rest] = compact.split('.');
  if (found !== protectedHeader(header) || payload === undefined || signature === undefined || rest.length > 0) {
    throw new YaoError(code, `expected a compact JWS with the header ${headerText(header)}`);
  }
  return { payload: fromBase64Url(payload), signature: fromBase64Url(signature) };
}
