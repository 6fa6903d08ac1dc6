import type { RoleConfig } from './config.ts';
import type { PeersOptions } from './peers.ts';
import { BINDINGS, CALLEES, publicPeer } from './public-peers.ts';
import type { RoleEnvironment } from './role.ts';

/** The roles that this one calls, each where the profile says that it is reached. */
export function bindingsOf({ role, publicPeers }: RoleConfig, environment: RoleEnvironment): PeersOptions['bindings'] {
  const reached = CALLEES[role].map((callee) => {
    const origin = publicPeers[callee];
    return [callee, origin === undefined ? environment[BINDINGS[callee]] : publicPeer(origin)] as const;
  });
  return Object.fromEntries(reached.filter(([, binding]) => binding !== undefined));
}
