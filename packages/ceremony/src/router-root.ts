import { equalBytes, type Json, LIMITS, schema, toHex, YaoError } from '@streaming-yao/core';
import {
  type Authority,
  Credential,
  FetchRoot,
  FetchRootAnswer,
  FetchRootStatement,
  idOfCredential,
  PROTOCOL,
  StoreRoot,
  StoreRootAnswer,
  StoreRootStatement,
  WrappedRoot,
} from '@streaming-yao/wire';
import { checkFresh, checkSession, credentialOf } from './credential-proof.ts';
import { type Program, type Transaction, transact } from './program.ts';
import type { RouterSurroundings } from './role.ts';
import { readAuthority } from './router-record.ts';

/** Keeps a wrapped client root for the credential that can open it. */
export function* storeRoot(s: RouterSurroundings, body: unknown): Program<Json> {
  const root = StoreRoot.fromJson(body);
  checkFresh(s, s.now(), root.statement);
  yield* checkRoot(s, root);
  yield* transact((tx) => putRoot(tx, root));
  return StoreRootAnswer.toJson({ stored: true });
}

/**
 * Whether the credential that a root is wrapped for wants it stored.
 * @throws YaoError `request_mismatch`, `request_expired`, `authorization_invalid`
 */
function* checkRoot(s: RouterSurroundings, { statement, session, signature }: StoreRoot): Program<void> {
  const { record, credential } = statement;
  if (!equalBytes(idOfCredential(credential), record.credentialId)) throw notMember();
  yield* checkSession(s, credential, { nowMs: s.now(), session, statement: StoreRootStatement.encode(statement), signature });
}

/** The same of roots that come with another request, which says how old it may be. */
export function* checkBroughtRoots(s: RouterSurroundings, walletId: string, roots: readonly StoreRoot[]): Program<void> {
  for (const root of roots) {
    const { statement } = root;
    if (statement.deployment !== s.pins.deployment || statement.record.walletId !== walletId) {
      throw new YaoError('request_mismatch', 'a root that came with the request is of another wallet', { party: 'client' });
    }
    yield* checkRoot(s, root);
  }
}

/**
 * Until the first activation anybody may bring a wallet's first roots; what one credential brought, only that same one replaces, and
 * only by the same root: keys that another one has made could not be recovered any more.
 * @param authority the wallet's, or what it is about to be
 * @throws YaoError `authorization_invalid`, `root_exists`, `busy`
 */
export function putRoot(tx: Transaction, { statement: { record, credential } }: StoreRoot, authority?: Authority): void {
  const owner = memberOf(tx, record, authority);
  if (owner && !equalBytes(owner.publicKey, credential.publicKey)) throw notMember();
  const name = rootName(record);
  const stored = tx.get('root', name);
  if (stored && !equalBytes(WrappedRoot.decode(stored).rootId, record.rootId)) {
    throw new YaoError('root_exists', 'another root of this wallet is stored for this credential; unlock that one', {
      party: 'client',
    });
  }
  const others = tx.list('root', `${record.walletId}/`, LIMITS.credentialsPerAuthority).filter(({ key }) => key !== name);
  if (others.length >= LIMITS.credentialsPerAuthority) {
    throw new YaoError(
      'busy',
      `a wallet keeps at most ${LIMITS.credentialsPerAuthority} wrapped roots; remove a credential first`,
      { party: 'client' },
    );
  }
  tx.put('root', name, WrappedRoot.encode(record));
  tx.put('root-owner', name, RootOwner.encode({ credential }));
}

/** Gives a wrapped root back to the credential that can open it, with the authority that a new device has to name. */
export function* fetchRoot(s: RouterSurroundings, body: unknown): Program<Json> {
  const { statement, session, signature } = FetchRoot.fromJson(body);
  checkFresh(s, s.now(), statement);
  const { walletId } = statement;
  const { credentialId } = session.proof;
  const found = yield* transact((tx) => ({
    credential: memberOf(tx, { walletId, credentialId }),
    stored: tx.get('root', rootName({ walletId, credentialId })),
    authority: readAuthority(tx, walletId),
  }));
  const { credential, stored, authority = null } = found;
  if (!credential || !stored)
    throw new YaoError('unknown_wallet', 'no root of this wallet is wrapped for this credential', { party: 'client' });
  yield* checkSession(s, credential, { nowMs: s.now(), session, statement: FetchRootStatement.encode(statement), signature });
  return FetchRootAnswer.toJson({ record: WrappedRoot.decode(stored), authority });
}

/** The credential that a wrapped root belongs to, until the wallet has an authority that names it. */
const RootOwner = schema.message(`${PROTOCOL} router-root-owner`, { credential: Credential });

function notMember(): YaoError {
  return new YaoError('authorization_invalid', 'this credential may not act for the wallet', { party: 'client' });
}

type RootName = Pick<WrappedRoot, 'walletId' | 'credentialId'>;

/** @throws YaoError `authorization_invalid` when the wallet is registered and the credential not one of its own */
function memberOf(tx: Transaction, name: RootName, authority = readAuthority(tx, name.walletId)): Credential | undefined {
  if (authority) return credentialOf(authority, name.credentialId);
  const owner = tx.get('root-owner', rootName(name));
  return owner && RootOwner.decode(owner).credential;
}

const rootName = ({ walletId, credentialId }: RootName): string => `${walletId}/${toHex(credentialId)}`;

/** Deletes the wrapped roots of credentials that an authority no longer names. */
export function forgetRoots(tx: Transaction, authority: Authority): void {
  for (const { key } of tx.list('root', `${authority.walletId}/`, LIMITS.credentialsPerAuthority)) {
    const named = authority.credentials.some((credential) => key.endsWith(`/${toHex(idOfCredential(credential))}`));
    if (named) continue;
    tx.delete('root', key);
    tx.delete('root-owner', key);
  }
}
