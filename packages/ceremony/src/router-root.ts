import { equalBytes, type Json, LIMITS, toHex, YaoError } from '@streaming-yao/core';
import {
  type Authority,
  FetchRoot,
  FetchRootAnswer,
  FetchRootStatement,
  idOfCredential,
  StoreRoot,
  StoreRootAnswer,
  StoreRootStatement,
  WrappedRoot,
} from '@streaming-yao/wire';
import { type Program, type Transaction, transact, verify } from './program.ts';
import type { RouterSurroundings } from './role.ts';
import { readAuthority } from './router-record.ts';

/** Keeps a wrapped client root for the credential that can open it. Until the first activation anybody may bring the wallet's first ones. */
export function* storeRoot(s: RouterSurroundings, body: unknown): Program<Json> {
  const { statement, ...signer } = StoreRoot.fromJson(body);
  const { record } = statement;
  yield* checkSigner(s, record.credentialId, statement, StoreRootStatement.encode(statement), signer);
  yield* transact((tx) => {
    checkMember(readAuthority(tx, record.walletId), record.credentialId);
    const name = rootName(record);
    const others = tx.list('root', `${record.walletId}/`, LIMITS.credentialsPerAuthority).filter(({ key }) => key !== name);
    if (others.length >= LIMITS.credentialsPerAuthority) {
      throw new YaoError(
        'busy',
        `a wallet keeps at most ${LIMITS.credentialsPerAuthority} wrapped roots; remove a credential first`,
        { party: 'client' },
      );
    }
    tx.put('root', name, WrappedRoot.encode(record));
  });
  return StoreRootAnswer.toJson({ stored: true });
}

/** Gives a wrapped root back to the credential that can open it, with the authority that a new device has to name. */
export function* fetchRoot(s: RouterSurroundings, body: unknown): Program<Json> {
  const { statement, ...signer } = FetchRoot.fromJson(body);
  yield* checkSigner(s, statement.credentialId, statement, FetchRootStatement.encode(statement), signer);
  const { stored, authority } = yield* transact((tx) => {
    const recorded = readAuthority(tx, statement.walletId);
    checkMember(recorded, statement.credentialId);
    return { stored: tx.get('root', rootName(statement)), authority: recorded ?? null };
  });
  if (!stored) throw new YaoError('unknown_wallet', 'no root of this wallet is wrapped for this credential', { party: 'client' });
  return FetchRootAnswer.toJson({ record: WrappedRoot.decode(stored), authority });
}

const rootName = ({ walletId, credentialId }: Pick<WrappedRoot, 'walletId' | 'credentialId'>): string =>
  `${walletId}/${toHex(credentialId)}`;

/** Once a wallet is registered, only its credentials have roots here. */
function checkMember(authority: Authority | undefined, credentialId: Uint8Array): void {
  if (authority && !authority.credentials.some((credential) => equalBytes(idOfCredential(credential), credentialId))) {
    throw new YaoError('authorization_invalid', 'this credential may not act for the wallet', { party: 'client' });
  }
}

/** Deletes the wrapped roots of credentials that an authority no longer names. */
export function forgetRoots(tx: Transaction, authority: Authority): void {
  for (const { key } of tx.list('root', `${authority.walletId}/`, LIMITS.credentialsPerAuthority)) {
    const named = authority.credentials.some((credential) => key.endsWith(`/${toHex(idOfCredential(credential))}`));
    if (!named) tx.delete('root', key);
  }
}

type Signer = Pick<StoreRoot, 'kind' | 'publicKey' | 'signature'>;

function* checkSigner(
  s: RouterSurroundings,
  credentialId: Uint8Array,
  { deployment, issuedAtMs }: { readonly deployment: string; readonly issuedAtMs: number },
  message: Uint8Array,
  { kind, publicKey, signature }: Signer,
): Program<void> {
  if (deployment !== s.pins.deployment)
    throw new YaoError('request_mismatch', `this is deployment ${s.pins.deployment}`, { party: 'client' });
  if (Math.abs(s.now() - issuedAtMs) > LIMITS.clockSkewMs) {
    throw new YaoError('request_expired', 'the request is too old or from the future; make a new one and check the clock', {
      party: 'client',
    });
  }
  const named = equalBytes(idOfCredential({ publicKey }), credentialId);
  if (!named || !(yield* verify({ algorithm: kind, publicKey, message, signature }))) {
    throw new YaoError('authorization_invalid', 'the request is not signed by the credential it names', { party: 'client' });
  }
}
