import { type Json, schema, toHex, YaoError } from '@streaming-yao/core';
import { type Authority, type Core, type Operation, PROTOCOL } from '@streaming-yao/wire';
import { credentialOf } from './credential-proof.ts';
import { type Program, type Transaction, transact } from './program.ts';
import { type Limit, type Rate, takeFromAll, takeInMemory } from './rate-limit.ts';
import type { RouterSurroundings } from './role.ts';

/** Ways into a deployment: anybody; whoever acts with a passkey; whoever an app's backend vouches for. */
export const WAYS = ['open', 'passkey', 'app-token'] as const;
export type Way = (typeof WAYS)[number];

/** What is limited together: each operation by itself, other changes, and whatever only reads. */
export type Concern = Operation | 'manage' | 'read' | 'sign';

/** Whose requests a limit counts. */
export type Counted = 'wallet' | 'address' | 'identity';

/** Whom the Router lets in: configuration, never the request's. */
export interface AdmissionRules {
  /** Any one of the named ways is enough; an operation that is not named is open. */
  readonly accept: { readonly [O in Operation]?: readonly Way[] };
  readonly limits: { readonly [C in Concern]?: { readonly [W in Counted]?: Rate } };
}

/** What the Router's host knows of who asks, beside the body. */
export interface Asker {
  /** As the platform states it. */
  readonly address?: string;
  /** The user that an app's backend vouches for. */
  readonly identity?: string;
}

/**
 * Whether whoever is authorized may also come in. What is refused here is authorized all the same: roles never mix the two.
 * @throws YaoError `not_admitted`
 */
export function checkWay(
  rules: AdmissionRules | undefined,
  core: Core,
  credentialId: Uint8Array,
  authority: Authority,
  asker: Asker,
): void {
  const ways = rules?.accept[core.operation] ?? ['open'];
  const comes: Readonly<Record<Way, () => boolean>> = {
    open: () => true,
    passkey: () => credentialOf(authority, credentialId).kind === 'passkey',
    'app-token': () => asker.identity !== undefined,
  };
  if (ways.some((way) => comes[way]())) return;
  throw new YaoError('not_admitted', `this deployment takes ${core.operation} only by ${ways.join(' or ')}`, { party: 'client' });
}

/**
 * Counts a new ceremony of a wallet, and its nonce, which counts once per wallet.
 * @throws YaoError `rate_limited`, `nonce_replayed`
 */
export function admitOnce(
  tx: Transaction,
  rules: AdmissionRules | undefined,
  core: Core,
  nowMs: number,
  deleteAtMs: number,
): void {
  const { walletId, operation } = core;
  const nonce = nonceName(core);
  if (tx.get('nonce', nonce)) {
    throw new YaoError('nonce_replayed', 'this nonce was in another request already; make a new request', { party: 'client' });
  }
  const rate = rules?.limits[operation]?.wallet;
  if (rate) takeFromAll(tx, [{ key: `wallet/${walletId}/${operation}`, ...rate }], nowMs);
  tx.put('nonce', nonce, new Uint8Array(), deleteAtMs);
}

const nonceName = ({ walletId, clientNonce }: Core): string => `${walletId}/${toHex(clientNonce)}`;

/** A request that was refused for good counts for nothing: it may come again, and is refused for its own reason again. */
export function forgetNonce(tx: Transaction, core: Core): void {
  tx.delete('nonce', nonceName(core));
}

/** The limits that count whoever asks, whatever the wallet. */
export function limitsOf(rules: AdmissionRules, concern: Concern, { address, identity }: Asker): readonly Limit[] {
  const { address: perAddress, identity: perIdentity } = rules.limits[concern] ?? {};
  return [
    ...(perAddress && address !== undefined ? [{ key: `address/${address}/${concern}`, ...perAddress }] : []),
    ...(perIdentity && identity !== undefined ? [{ key: `identity/${identity}/${concern}`, ...perIdentity }] : []),
  ];
}

const LimitsMessage = schema.message(`${PROTOCOL} router-limits`, {
  limits: schema.list(schema.struct({ key: schema.text(/./, 1024), count: schema.u32, windowMs: schema.u32 }), 1, 4),
  /** Whether the counters are written after the answer. */
  writtenLater: schema.boolean,
});

export const limitsToJson = (limits: readonly Limit[], writtenLater: boolean): Json =>
  LimitsMessage.toJson({ limits, writtenLater });

/** Takes one of each limit: all of them are counted in one object. @throws YaoError `rate_limited` */
export function* countRequest(s: RouterSurroundings, body: unknown): Program<Json> {
  const { limits, writtenLater } = LimitsMessage.fromJson(body);
  if (writtenLater) yield* takeInMemory(s, limits);
  else yield* transact((tx) => takeFromAll(tx, limits, s.now()));
  return {};
}
