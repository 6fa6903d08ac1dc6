import type { Json } from '@streaming-yao/core';
import { HpkeKey, KeysAnswer, type Role, type SignedHpkeKey } from '@streaming-yao/wire';
import { type Program, sign } from './program.ts';
import type { HpkePublicKey, RoleSurroundings } from './role.ts';

/** Serves a role's own HPKE keys, newest first, each under the role's signature. */
export function keys(role: Exclude<Role, 'router'>) {
  return function* (s: RoleSurroundings & { readonly hpkeKeys: readonly HpkePublicKey[] }): Program<Json> {
    const { deployment, profile } = s.pins;
    const signed: SignedHpkeKey[] = [];
    for (const key of s.hpkeKeys) {
      const statement = { role, ...key, deployment, profile };
      signed.push({ statement, signature: yield* sign(HpkeKey.encode(statement)) });
    }
    return KeysAnswer.toJson({ keys: signed });
  };
}
