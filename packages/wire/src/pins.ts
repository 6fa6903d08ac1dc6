import { type Infer, schema } from '@streaming-yao/core';
import { name, PROTOCOL, profile, publicKey } from './field.ts';

/** What every party is configured with at start-up, the client's app included: whom to believe. */
export const Pins = schema.message(`${PROTOCOL} pins`, {
  deployment: name,
  profile,
  router: publicKey,
  deriverA: publicKey,
  deriverB: publicKey,
  signingWorker: publicKey,
});
export type Pins = Infer<typeof Pins.codec>;

/** The Ed25519 verification key that `pins` hold for a role. */
export function pinnedKey(pins: Pins, role: 'router' | 'deriver-a' | 'deriver-b' | 'signing-worker'): Uint8Array {
  switch (role) {
    case 'router':
      return pins.router;
    case 'deriver-a':
      return pins.deriverA;
    case 'deriver-b':
      return pins.deriverB;
    case 'signing-worker':
      return pins.signingWorker;
  }
}
