import { decodeAuthority } from '@streaming-yao/ceremony/deriver-record';
import { toHex } from '@streaming-yao/core';
import { Authority } from '@streaming-yao/wire';
import type { Actor } from '../actor.ts';
import { type Observer, Violation } from '../observer.ts';
import type { Changes } from '../store.ts';

/**
 * A wallet's authority only rises, at every role: a change of credentials is never taken back, whatever runs beside it. And no two
 * roles ever have different authorities of one version, or they would agree to no ceremony any more.
 */
export class AuthorityOnlyRises implements Observer {
  /** By role and wallet, the version on record. */
  readonly #versions = new Map<string, number>();
  /** By wallet and version, the digest of the one authority. */
  readonly #digests = new Map<string, string>();

  committed({ role }: Actor, changes: Changes): void {
    if (role === 'client') return;
    for (const [name, record] of changes) {
      if (!name.startsWith('authority\n') || !record) continue;
      const authority =
        role === 'deriver-a' || role === 'deriver-b' ? decodeAuthority(record.value) : Authority.decode(record.value);
      if (!authority) throw new Violation('authority', `${role} stored one that binds nobody`);
      const { walletId, version } = authority;
      const place = `${role} ${walletId}`;
      const before = this.#versions.get(place) ?? 0;
      if (version < before) throw new Violation('authority', `${place} went from version ${before} back to ${version}`);
      this.#versions.set(place, version);
      const digest = toHex(Authority.digest(authority));
      const known = this.#digests.get(`${walletId} ${version}`) ?? digest;
      if (known !== digest) throw new Violation('authority', `${place} has another version ${version} than another role`);
      this.#digests.set(`${walletId} ${version}`, known);
    }
  }
}
