import type { Credential, OpenSession, Storage } from '@streaming-yao/client';
import { discoverPasskey, enrolAnotherPasskey, enrolPasskey, passkeyCredential } from '@streaming-yao/client/browser';
import type { Group } from '@streaming-yao/group';
import type { Credential as CredentialRecord, PasskeyCredential, Pins } from '@streaming-yao/wire';

/** Passkeys of this browser or its provider. Each function asks the person, and says so first. */
export interface Passkeys {
  /**
   * The wallet's passkey of this device, made now unless it was before.
   * @throws YaoError `approval_declined`, `prf_unavailable`
   */
  enrol(walletId: string): Promise<PasskeyCredential>;
  /** One more, on an authenticator that has none of the wallet's yet. @throws YaoError as {@link enrol}; `invalid_request` */
  another(walletId: string, existing: readonly CredentialRecord[]): Promise<PasskeyCredential>;
  open(record: PasskeyCredential): Credential;
  /** Lets the person choose a passkey, which tells for which wallet it was made. */
  discover(): Promise<{ readonly credential: Credential; readonly walletId: string; readonly session: OpenSession }>;
}

export interface PasskeyParts {
  readonly group: Group;
  readonly storage: Storage;
  readonly pins: Pins;
  /** Told before the person is asked. */
  readonly asks: () => void;
}

const RP_NAME = 'Streaming Yao';

/** What the person sees when asked: one name for each wallet, with the day, since nobody remembers an id. */
const labelOf = (walletId: string): string => `Wallet ${walletId.slice(2, 8)}, ${new Date().toISOString().slice(0, 10)}`;

export function browserPasskeys({ group, storage, pins, asks }: PasskeyParts): Passkeys {
  return {
    enrol: async (walletId) => {
      asks();
      const { record } = await enrolPasskey({ walletId, label: labelOf(walletId), storage, rpName: RP_NAME });
      return record as PasskeyCredential;
    },
    another: async (walletId, existing) => {
      asks();
      const { record } = await enrolAnotherPasskey({ walletId, label: labelOf(walletId), rpName: RP_NAME }, existing);
      return record as PasskeyCredential;
    },
    open: (record) => telling(passkeyCredential(record), asks),
    discover: async () => {
      asks();
      const { credential, walletId, session } = await discoverPasskey({ group, storage, pins });
      return { credential: telling(credential, asks), walletId, session };
    },
  };
}

function telling(credential: Credential, asks: () => void): Credential {
  return {
    ...credential,
    prove: (statements) => {
      asks();
      return credential.prove(statements);
    },
  };
}
