import { type Infer, schema } from '@streaming-yao/core';
import { digest, name, operation, PROTOCOL, profile, walletId } from './field.ts';
import type { JwsHeader } from './jws.ts';

/** The Router's admission of one ceremony; A, B and the SigningWorker each see the same grant. */
export const Grant = schema.message(`${PROTOCOL} grant`, {
  ceremonyId: digest,
  core: digest,
  circuitId: digest,
  operation,
  walletId,
  deployment: name,
  profile,
  issuedAtMs: schema.timeMs,
  expiresAtMs: schema.timeMs,
});
export type Grant = Infer<typeof Grant.codec>;

export const GRANT_HEADER: JwsHeader = { typ: 'yao-grant+jws', kid: 'router' };
