import { inspect } from 'node:util';
import { sha512 } from '@noble/hashes/sha2.js';
import { concatBytes, type Json, toBase64Url, toHex, utf8 } from '@streaming-yao/core';
import { decodeWideScalar, encodeScalar, L, modL } from '@streaming-yao/group';
import { Presign, SignAnswer, SignRequest } from '@streaming-yao/wire';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { clientSign } from '../src/client.ts';
import { CommitmentPool, type WorkerCommitments } from '../src/commitment-pool.ts';
import { commit, type Nonces } from '../src/frost.ts';
import { PresignPool } from '../src/presign-pool.ts';
import { group, lane, message, NOW_MS, random, twoSigners } from './two-signers.ts';

/** Random bytes that remember what they gave. */
function recorder() {
  const given: Uint8Array[] = [];
  const record = (length: number): Uint8Array => {
    const bytes = random(length);
    given.push(bytes.slice());
    return bytes;
  };
  return { given, record };
}

/** RFC 9591 section 4.1 again, from the recorded randomness. */
const nonceOf = (fresh: Uint8Array, share: Uint8Array): Uint8Array =>
  encodeScalar(decodeWideScalar(sha512(concatBytes(utf8('FROST-ED25519-SHA512-v1nonce'), fresh, share))));

const asNumbers = (_: string, value: unknown): unknown => (value instanceof Uint8Array ? [...value] : value);

function spelledIn(text: string, bytes: Uint8Array): boolean {
  return text.includes(toBase64Url(bytes)) || text.replaceAll(/\s/g, '').includes([...bytes].join(','));
}

describe('what leaves a signing run', () => {
  it('holds no nonce, no share and none of the randomness behind them', () => {
    const { clientShare, workerShare, groupPublicKey, poolLane } = twoSigners();
    const [ofClient, ofWorker] = [recorder(), recorder()];
    const pool = new PresignPool({ ...poolLane, random: ofWorker.record });
    const presigns = pool.prepare(2, NOW_MS);
    const stock = new CommitmentPool(group, lane);
    for (const presign of presigns) stock.takeIn(presign, NOW_MS);
    const workerCommitments = stock.take(NOW_MS) as WorkerCommitments;
    const before = inspect([pool, stock, workerCommitments], { depth: 9, showHidden: true });
    const share = clientShare.use((bytes) => bytes.slice());
    const part = clientSign({ group, share: clientShare, groupPublicKey, workerCommitments, message, random: ofClient.record });
    const request: SignRequest = { lane, message, preimage: null, session: null, wanted: 0, expiresAtMs: NOW_MS, ...part };
    const signature = pool.finish(request, NOW_MS);

    const xs = workerShare.use((bytes) => bytes.slice());
    const frostOfClient = group.halveScalar(clientShare).use((bytes) => bytes.slice());
    const frostOfWorker = encodeScalar(modL(L - decodeWideScalar(xs)));
    const nonces = [
      ...ofClient.given.map((fresh) => nonceOf(fresh, frostOfClient)),
      ...ofWorker.given.map((fresh) => nonceOf(fresh, frostOfWorker)),
    ];
    expect(nonces).toHaveLength(6);
    const commitments = [part.hiding, part.binding, ...presigns.flatMap(({ hiding, binding }) => [hiding, binding])];
    expect(nonces.map((nonce) => toHex(ed25519Commitment(nonce)))).toEqual(commitments.map(toHex));

    const secrets = [...nonces, ...ofClient.given, ...ofWorker.given, share, xs, frostOfClient, frostOfWorker];
    const answer = { signature, presigns, usesLeft: null };
    const binary = toHex(concatBytes(SignRequest.encode(request), SignAnswer.encode(answer)));
    const json = [SignRequest.toJson(request), SignAnswer.toJson(answer), part, presigns];
    const texts = [
      before,
      JSON.stringify(json, asNumbers),
      inspect([pool, stock, part, presigns], { depth: 9, showHidden: true }),
    ];
    for (const secret of secrets) {
      expect(binary).not.toContain(toHex(secret));
      for (const text of texts) expect(spelledIn(text, secret)).toBe(false);
    }
    for (const open of commitments.slice(0, 2)) {
      expect(binary).toContain(toHex(open));
      for (const text of texts.slice(1)) expect(spelledIn(text, open)).toBe(true);
    }
  });
});

describe('nonces', () => {
  it('are nothing that JSON or a wire message could hold', () => {
    expectTypeOf<Nonces>().not.toExtend<Json>();
    expectTypeOf<Nonces>().not.toExtend<Partial<Presign>>();
    expectTypeOf<Nonces['hiding']>().not.toExtend<Uint8Array>();
  });

  it('have no serialised form', () => {
    const { nonces } = commit(group, group.randomScalar(random), random);
    expect(() => JSON.stringify(nonces)).toThrow(expect.objectContaining({ code: 'internal' }));
    expect(() => structuredClone(nonces)).not.toThrow();
    expect(structuredClone(nonces)).toEqual({ hiding: { length: 32 }, binding: { length: 32 } });
  });
});

describe('presign ids', () => {
  it('are byte strings, which no number format rounds', () => {
    const idOf = (value: bigint): Uint8Array => encodeScalar(value);
    const [presign] = twoSigners().pool.prepare(1, NOW_MS);
    const ids = [2n ** 53n + 1n, 2n ** 53n + 2n].map(idOf);
    const read = ids.map((presignId) => {
      const json: unknown = JSON.parse(JSON.stringify(Presign.toJson({ ...(presign as Presign), presignId })));
      return toHex(Presign.fromJson(json, 'presign').presignId);
    });
    expect(read).toEqual(ids.map(toHex));
    expect(read[0]).not.toBe(read[1]);
  });
});

function ed25519Commitment(nonce: Uint8Array): Uint8Array {
  return group.combine(decodeWideScalar(nonce), []).encoded;
}
