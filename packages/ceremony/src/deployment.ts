import { type Json, LIMITS, YaoError } from '@streaming-yao/core';
import { DeploymentFacts, KeysAnswer, PROTOCOL, type Role, type SignedHpkeKey } from '@streaming-yao/wire';
import { all, call, type Program } from './program.ts';
import type { RouterSurroundings } from './role.ts';
import { checkHpkeKey } from './statement.ts';

type KeyedRole = Exclude<Role, 'router'>;
const KEYED_ROLES: readonly KeyedRole[] = ['deriver-a', 'deriver-b', 'signing-worker'];

/** How long the Router serves key statements before it asks their role again. */
const KEYS_CACHE_MS = 60_000;

interface CachedKeys {
  readonly keys: readonly SignedHpkeKey[];
  readonly fetchedAtMs: number;
}

/** A role's current key statements, each checked. */
function* keysOf(s: RouterSurroundings, role: KeyedRole): Program<readonly SignedHpkeKey[]> {
  const nowMs = s.now();
  const cached = s.memory.get(`keys ${role}`) as CachedKeys | undefined;
  if (cached && nowMs < cached.fetchedAtMs + KEYS_CACHE_MS) return cached.keys;
  const answer = KeysAnswer.fromJson(
    yield* call({ role, path: '/keys', body: {}, deadlineMs: nowMs + s.settings.callDeadlineMs }),
  );
  for (const key of answer.keys) yield* checkHpkeKey(s.pins, role, nowMs, key);
  s.memory.set(`keys ${role}`, { keys: answer.keys, fetchedAtMs: nowMs });
  return answer.keys;
}

/** @throws YaoError `key_statement_invalid` when the role has no such key now */
export function* servedKey(s: RouterSurroundings, role: KeyedRole, keyId: string): Program<SignedHpkeKey> {
  const found = (yield* keysOf(s, role)).find(({ statement }) => statement.keyId === keyId);
  if (!found)
    throw new YaoError('key_statement_invalid', `${role} has no HPKE key ${keyId} now; fetch the deployment’s keys again`, {
      party: 'client',
    });
  return found;
}

/** What clients fetch before a ceremony. They trust only what their pinned role keys signed. */
export function* deploymentFacts(s: RouterSurroundings): Program<Json> {
  const keys = yield* all(...KEYED_ROLES.map((role) => keysOf(s, role)));
  const { deployment, profile } = s.pins;
  const { bodyBytes, signedMessageBytes, keysPerWallet, lanesPerKey, credentialsPerAuthority, requestLifeMs, clockSkewMs } =
    LIMITS;
  const limits = {
    bodyBytes,
    signedMessageBytes,
    keysPerWallet,
    lanesPerKey,
    credentialsPerAuthority,
    requestLifeMs,
    clockSkewMs,
  };
  const rpId = s.passkeys?.rpId ?? null;
  return DeploymentFacts.toJson({ protocol: PROTOCOL, deployment, profile, rpId, limits, keys: keys.flat() });
}
