import { createHash, hkdfSync } from 'node:crypto';
import { type SecretBytes, schema, utf8 } from '@streaming-yao/core';
import { PROTOCOL } from '@streaming-yao/wire';
import type { Deployment } from './deployment.ts';

/** One key, as docs/protocol.md section 2 names it. */
const Context = schema.message(`${PROTOCOL} derivation`, {
  deployment: schema.text(/./, 64),
  walletId: schema.text(/./, 64),
  keyIndex: schema.u32,
});

/** What nobody but its owner may ever see. Computed apart from the programs, as an oracle for them. 32 bytes each. */
export interface DerivedSecrets {
  /** The client's contribution. */
  readonly yc: Uint8Array;
  /** XOR of the Derivers' contributions. */
  readonly ys: Uint8Array;
  readonly seed: Uint8Array;
  /** First and second half of SHA-512(seed). */
  readonly digestHalves: readonly [Uint8Array, Uint8Array];
  /** The clamped scalar. */
  readonly a: Uint8Array;
}

export function derivedSecrets({ pins, keys }: Deployment, root: SecretBytes, walletId: string, keyIndex = 0): DerivedSecrets {
  const salt = Context.digest({ deployment: pins.deployment, walletId, keyIndex });
  const contribution = (secret: SecretBytes, party: string): Uint8Array =>
    secret.use((bytes) => new Uint8Array(hkdfSync('sha256', bytes, salt, utf8(party), 32)));
  const yc = contribution(root, 'client');
  const ysA = contribution(keys['deriver-a'].derivationRoot, 'deriver-a');
  const ysB = contribution(keys['deriver-b'].derivationRoot, 'deriver-b');
  const ys = ysA.map((byte, i) => byte ^ (ysB[i] as number));
  return { yc, ys, ...expand(yc.map((byte, i) => byte ^ (ys[i] as number))) };
}

/** RFC 8032 section 5.1.5. */
export function expand(seed: Uint8Array): Pick<DerivedSecrets, 'seed' | 'digestHalves' | 'a'> {
  const digest = new Uint8Array(createHash('sha512').update(seed).digest());
  const halves = [digest.slice(0, 32), digest.slice(32)] as const;
  const a = halves[0].slice();
  a[0] = (a[0] as number) & 0xf8;
  a[31] = ((a[31] as number) & 0x7f) | 0x40;
  return { seed, digestHalves: halves, a };
}
