import { type Json, YaoError } from '@streaming-yao/core';
import { type Authority, AuthorityAnswer, AuthorityRequest } from '@streaming-yao/wire';
import { credentialsChanged, isSameAuthority, succeedingAuthority } from './authorization.ts';
import { type Program, type Transaction, transact } from './program.ts';
import type { RoleSurroundings } from './role.ts';

/** Where a role keeps a wallet's authority. */
export interface AuthorityPlace {
  read(tx: Transaction, walletId: string): Authority | undefined;
  write(tx: Transaction, authority: Authority): void;
}

export const walletOfAuthority = (body: unknown): string => AuthorityRequest.fromJson(body).update.authority.walletId;

/**
 * Takes over a signed successor of the recorded authority, each role on its own evidence.
 * @throws YaoError `unknown_wallet`, `authority_mismatch`, `authorization_invalid`
 */
export function updateAuthority(place: AuthorityPlace) {
  return function* (s: RoleSurroundings, body: unknown): Program<Json> {
    const { update } = AuthorityRequest.fromJson(body);
    const { walletId } = update.authority;
    const current = yield* transact((tx) => place.read(tx, walletId));
    if (!current) throw new YaoError('unknown_wallet', `no wallet ${walletId} is registered here`, { party: 'client' });
    const next = yield* succeedingAuthority(s, current, update);
    yield* transact((tx) => {
      const recorded = place.read(tx, walletId);
      // The same change may have come twice.
      if (isSameAuthority(recorded, next)) return;
      if (!isSameAuthority(recorded, current)) throw credentialsChanged();
      place.write(tx, next);
    });
    return AuthorityAnswer.toJson({ version: next.version });
  };
}
