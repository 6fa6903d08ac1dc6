import type { PeerRole } from '@streaming-yao/ceremony/program';
import { LIMITS, YaoError } from '@streaming-yao/core';
import type { Pins, Role } from '@streaming-yao/wire';
import { readBody } from './http.ts';
import type { RoleBinding } from './platform.ts';

/** The service binding under which a role is reached within one account. */
export const BINDINGS = {
  'deriver-a': 'DERIVER_A',
  'deriver-b': 'DERIVER_B',
  'signing-worker': 'SIGNING_WORKER',
} as const satisfies Readonly<Record<PeerRole, string>>;

/** Which roles each role calls. */
export const CALLEES: Readonly<Record<Role, readonly PeerRole[]>> = {
  router: ['deriver-a', 'deriver-b', 'signing-worker'],
  'deriver-a': ['deriver-b'],
  'deriver-b': [],
  'signing-worker': [],
};

export type PublicPeers = Readonly<Partial<Record<PeerRole, string>>>;

/**
 * `PEERS` is JSON like `{"deriver-b": "https://b.example"}`: the origin of every role that this one calls, under the profile
 * `two-operators` and no other. There a service binding would be a way past the border between the operators.
 * @throws YaoError `config_invalid`
 */
export function readPublicPeers(
  role: Role,
  profile: Pins['profile'],
  environment: Readonly<Record<string, unknown>>,
): PublicPeers {
  const invalid = (why: string): YaoError => new YaoError('config_invalid', `${role}: ${why}`, { party: 'operator' });
  const text = environment.PEERS;
  if (profile === 'one-account') {
    if (text === undefined) return {};
    throw invalid('PEERS is for the profile two-operators; within one account roles are reached by service bindings');
  }
  const bound = Object.values(BINDINGS).find((name) => environment[name] !== undefined);
  if (bound) throw invalid(`${bound} is a service binding, which the profile two-operators has none of; name the role in PEERS`);
  let origins: unknown = {};
  try {
    if (text !== undefined) origins = JSON.parse(String(text));
  } catch {
    throw invalid('PEERS is not JSON');
  }
  const given = typeof origins === 'object' && origins !== null ? Object.entries(origins) : [];
  const named = given.map(([name]) => name).toSorted();
  if (named.join() !== CALLEES[role].toSorted().join()) {
    throw invalid(
      `PEERS has to name ${CALLEES[role].join(', ') || 'nobody'}: whom this role calls under the profile two-operators`,
    );
  }
  const wrong = given.find(([, origin]) => !isOrigin(origin));
  if (wrong) throw invalid(`PEERS needs an origin like https://b.example for ${wrong[0]}; http is for loopback addresses only`);
  return Object.fromEntries(given);
}

function isOrigin(text: unknown): boolean {
  if (typeof text !== 'string' || !URL.canParse(text)) return false;
  const { protocol, hostname, origin } = new URL(text);
  const loopback = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
  return origin === text && (protocol === 'https:' || (protocol === 'http:' && loopback));
}

/**
 * Reaches a role at its public origin. A redirect is not followed: the call's token is for nobody else. No more of an answer is
 * read than a role can have to say.
 */
export function publicPeer(origin: string): RoleBinding {
  return {
    fetch: async (url, init) => {
      const { pathname, search } = new URL(url);
      const response = await fetch(origin + pathname + search, { ...init, redirect: 'manual' });
      if (response.status === 101) return response;
      const body = await readBody(response, LIMITS.answerBytes);
      return new Response(body as BodyInit, { status: response.status });
    },
  };
}
