import { type Credential, recoveryCredential, YaoError } from '@streaming-yao/client';
import { equalBytes } from '@streaming-yao/core';
import type { Group } from '@streaming-yao/group';
import { type Credential as CredentialRecord, idOfCredential } from '@streaming-yao/wire';

/**
 * The recovery phrase as the credential of a device without a passkey: typed in whenever it is needed, and never kept.
 * @param ask resolves with what the person typed, or `undefined` when they closed the question
 */
export function typedPhrase(group: Group, record: CredentialRecord, ask: () => Promise<string | undefined>): Credential {
  const id = idOfCredential(record);
  return {
    id,
    record,
    prove: async (statements) => {
      const phrase = await ask();
      if (phrase === undefined) throw new YaoError('approval_declined', 'the phrase was not typed', { party: 'client' });
      const typed = recoveryCredential(group, phrase);
      if (equalBytes(typed.id, id)) return typed.prove(statements);
      throw new YaoError('unlock_failed', 'this is the phrase of another wallet', { party: 'client' });
    },
  };
}
