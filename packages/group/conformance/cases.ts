import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { fromHex, SecretBytes, toHex } from '@streaming-yao/core';
import rfc8032 from '../../../vectors/ed25519-rfc8032.json' with { type: 'json' };
import speccheck from '../../../vectors/ed25519-speccheck.json' with { type: 'json' };
import wycheproof from '../../../vectors/ed25519-wycheproof.json' with { type: 'json' };
import answers from '../../../vectors/group.json' with { type: 'json' };
import type { Group } from '../src/group.ts';

/** One statement about the group that must hold in every runtime. */
export interface GroupCase {
  readonly name: string;
  /** Throws when the statement does not hold. */
  run(group: Group): void;
}

type Edwards = Omit<Group, 'ristretto'>;

/** The i-th of a sequence of scalars that everybody can make. */
function scalar(group: Edwards, i: number): SecretBytes {
  return group.reduceScalar(SecretBytes.own(sha512(Uint8Array.of(i >> 8, i & 0xff))));
}

/** Digest over results of every operation on {@link scalar}s: 32 bytes. */
export function digestOfResults(group: Edwards): Uint8Array {
  const state = sha256.create();
  for (let i = 0; i < answers.rounds; i++) {
    const [first, second] = [scalar(group, 2 * i), scalar(group, 2 * i + 1)];
    const [point, other] = group.commitTwo(first, second);
    const scalars = [
      group.addScalars(first, second),
      group.subtractScalars(first, second),
      group.multiplyScalars(first, second),
      group.multiplyAdd(BigInt(i), first, second),
      group.halveScalar(first),
    ];
    const points = [
      group.baseMultiply(scalars[0] as SecretBytes),
      group.multiply(second, point),
      group.sumOfPoints([point.encoded, other]).encoded,
      group.combine(3n ** BigInt(i), [
        { factor: 5n ** BigInt(i), point },
        { factor: 1n, point: other },
      ]).encoded,
    ];
    const message = Uint8Array.from({ length: i }, (_, at) => at);
    points.push(group.ed25519PublicKey(first), group.x25519PublicKey(second), group.signEd25519(second, message));
    for (const each of scalars) each.use((bytes) => state.update(bytes));
    for (const each of [point.encoded, other.encoded, ...points]) state.update(each);
  }
  return state.digest();
}

interface SignatureCase {
  readonly publicKey: string;
  readonly message: string;
  readonly signature: string;
}

function verdict(name: string, { publicKey, message, signature }: SignatureCase, expected: boolean): GroupCase {
  return {
    name,
    run: (group) => {
      if (group.verifyEd25519(fromHex(publicKey), fromHex(message), fromHex(signature)) !== expected) {
        throw new Error(`expected the signature to be ${expected ? 'valid' : 'invalid'}`);
      }
    },
  };
}

export const groupCases: readonly GroupCase[] = [
  {
    name: 'group: results of every operation',
    run: (group) => {
      const found = toHex(digestOfResults(group));
      if (found !== answers.digest) throw new Error(`expected ${answers.digest}, got ${found}`);
    },
  },
  ...rfc8032.cases.map((each) => verdict(`group: RFC 8032 ${each.name}`, each, true)),
  ...speccheck.cases.map((each, i) => verdict(`group: speccheck case ${i}`, each, each.strict)),
  ...wycheproof.groups.flatMap(({ publicKey, tests }) =>
    tests.map((each) => verdict(`group: Wycheproof Ed25519 ${each.id}`, { ...each, publicKey }, each.valid)),
  ),
];
