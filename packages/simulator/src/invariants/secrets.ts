import type { Effect } from '@streaming-yao/ceremony/program';
import { SecretBytes, toHex } from '@streaming-yao/core';
import { decodeScalar, encodeScalar, modL } from '@streaming-yao/group';
import type { Actor, ActorRole } from '../actor.ts';
import type { Deployment } from '../deployment.ts';
import { derivedSecrets } from '../derivation.ts';
import { Haystack, type Needle } from '../needles.ts';
import { type Observer, type Sight, Violation } from '../observer.ts';
import type { Outcome } from '../strand.ts';
import { decodeLane, isLane } from '../workload/records.ts';
import type { Wallet } from '../workload/wallet.ts';

interface Seen {
  readonly sight: Sight;
  readonly bytes: Uint8Array;
}

/**
 * No role ever has before its eyes what is not its own: everything that each received, sent, stored, logged and decrypted is
 * searched for the seed, its digest, the scalar, the joined shares, the client root and the client's contribution.
 */
export class SecretsStayHome implements Observer {
  readonly #deployment: Deployment;
  readonly #wallets: readonly Wallet[];
  readonly #seen = new Map<ActorRole, Seen[]>();
  /** Client shares by wallet, in hex. */
  readonly #clientShares = new Map<string, Set<string>>();

  constructor(deployment: Deployment, wallets: readonly Wallet[]) {
    this.#deployment = deployment;
    this.#wallets = wallets;
  }

  saw(role: ActorRole, sight: Sight, bytes: Uint8Array): void {
    const seen = this.#seen.get(role) ?? [];
    this.#seen.set(role, seen);
    seen.push({ sight, bytes });
  }

  performing(_: Actor, effect: Effect): void {
    if (effect.kind !== 'keep' || !effect.secret || !isLane(effect.name)) return;
    using lane = decodeLane(effect.secret).share;
    const { walletId } = decodeLane(effect.secret);
    const shares = this.#clientShares.get(walletId) ?? new Set();
    this.#clientShares.set(walletId, shares.add(lane.use(toHex)));
  }

  performed({ role }: Actor, effect: Effect, outcome: Outcome): void {
    const decrypted = effect.kind === 'open' || effect.kind === 'open-with' || effect.kind === 'vault-read';
    if (!decrypted || 'error' in outcome) return;
    const { value } = outcome;
    if (value instanceof SecretBytes)
      this.saw(
        role,
        'opened',
        value.use((bytes) => bytes.slice()),
      );
  }

  finished(): void {
    for (const [role, seen] of this.#seen) {
      const haystack = new Haystack(this.#wallets.flatMap((wallet) => this.#needles(wallet, role)));
      for (const { sight, bytes } of seen) {
        const found = haystack.find(bytes);
        if (found) throw new Violation('secrets', `${role} has ${sight} ${found}`);
      }
    }
  }

  #needles({ walletId, device }: Wallet, role: ActorRole): readonly Needle[] {
    const { yc, seed, digestHalves, a } = derivedSecrets(this.#deployment, device.root, walletId);
    const scalar = modL(littleEndian(a));
    const shares = [...(this.#clientShares.get(walletId) ?? [])].map((hex) => Uint8Array.from(Buffer.from(hex, 'hex')));
    const own = role === 'client' ? shares : [];
    return [
      { name: 'the seed', bytes: seed },
      { name: 'the first half of the digest', bytes: digestHalves[0] },
      { name: 'the second half of the digest', bytes: digestHalves[1] },
      { name: 'the clamped scalar', bytes: a },
      { name: 'the scalar mod L', bytes: encodeScalar(scalar) },
      { name: 'the client root', bytes: device.root.use((bytes) => bytes.slice()) },
      { name: 'the client’s contribution', bytes: yc },
      ...shares.filter((share) => !own.includes(share)).map((bytes) => ({ name: 'a client share', bytes })),
      ...shares.map((share) => ({ name: 'a server share', bytes: encodeScalar(modL(scalar - decodeScalar(share))) })),
    ];
  }
}

function littleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${toHex(bytes.toReversed())}`);
}
