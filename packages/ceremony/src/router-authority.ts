import type { Json } from '@streaming-yao/core';
import { type Authority, AuthorityRequest, ChangeAuthority, type SignedAuthority } from '@streaming-yao/wire';
import { updateAuthority } from './authority-update.ts';
import { credentialsChanged, isSameAuthority, isStillInForce, succeedingAuthority } from './authorization.ts';
import { all, call, type PeerRole, type Program, type Transaction, transact } from './program.ts';
import type { Handler, RouterSurroundings } from './role.ts';
import { announce, learn } from './router-evidence.ts';
import { forgetChange, noteChange, readAuthority, readChange, writeAuthority } from './router-record.ts';
import { checkBroughtRoots, forgetRoots, putRoot } from './router-root.ts';

const routerAuthority = {
  read: readAuthority,
  write: (tx: Transaction, authority: Authority): void => {
    writeAuthority(tx, authority.walletId, authority);
    forgetRoots(tx, authority);
    forgetChange(tx, authority.walletId);
  },
};

export const walletOfChange = (body: unknown): string => ChangeAuthority.fromJson(body).update.authority.walletId;

/**
 * Changes a wallet's credentials. The change is noted, with the root as it is wrapped for whoever is new, before the first role
 * hears of it, because roles that disagree about the credentials agree to no ceremony: whatever breaks off now is finished with the
 * wallet's next request.
 */
export function* changeAuthority(s: RouterSurroundings, body: unknown): Program<Json> {
  const { update, roots } = ChangeAuthority.fromJson(body);
  const { walletId } = update.authority;
  yield* checkBroughtRoots(s, walletId, roots);
  yield* announce(s, walletId);
  yield* finishChange(s, walletId);
  const current = (yield* transact((tx) => readAuthority(tx, walletId))) ?? (yield* learn(s, walletId));
  yield* succeedingAuthority(s, current, update);
  yield* transact((tx) => {
    // Of two changes side by side one role might take the one and another role the other.
    const noted = readChange(tx, walletId);
    const isOther = noted && !isSameAuthority(noted.authority, update.authority);
    const now = readAuthority(tx, walletId);
    if (isOther || !isStillInForce(now, { recorded: current, authority: update.authority })) throw credentialsChanged();
    for (const root of roots) putRoot(tx, root, update.authority);
    noteChange(tx, update);
  });
  const answer = yield* spread(s, update);
  s.audit({ atMs: s.now(), walletId, event: 'authority', ceremonyId: null, outcome: 'ok' });
  return answer;
}

/**
 * Finishes a change that was broken off. It is never given up: the Router has checked it before anybody heard of it, and a refusal
 * may come of a call that was damaged on its way, when others have taken the change already.
 */
export function* finishChange(s: RouterSurroundings, walletId: string): Program<void> {
  const update = yield* transact((tx) => readChange(tx, walletId));
  if (update) yield* spread(s, update);
}

/** A request that the wallet's credentials decide about is answered by the Router once the other roles know the same ones. */
export function afterChange(
  wallet: (body: unknown) => string,
  program: (s: RouterSurroundings, body: unknown) => Program<Json>,
): Pick<Handler<RouterSurroundings>, 'wallet' | 'program'> {
  return {
    wallet,
    program: function* (s, body) {
      yield* finishChange(s, wallet(body));
      return yield* program(s, body);
    },
  };
}

/** Each role that acts on an authority takes the new one on its own evidence, the Router last; repeats are harmless. */
function* spread(s: RouterSurroundings, update: SignedAuthority): Program<Json> {
  const body = AuthorityRequest.toJson({ update });
  const tell = (role: PeerRole) => call({ role, path: '/authority', body, deadlineMs: s.now() + s.settings.callDeadlineMs });
  yield* all(tell('deriver-a'), tell('deriver-b'), tell('signing-worker'));
  const answer = yield* updateAuthority(routerAuthority)(s, body);
  // Whoever asks for the same change at the same time may have noted it again after it was taken.
  yield* transact((tx) => {
    const { walletId } = update.authority;
    const noted = readChange(tx, walletId);
    if (noted && isSameAuthority(noted.authority, update.authority)) forgetChange(tx, walletId);
  });
  return answer;
}
