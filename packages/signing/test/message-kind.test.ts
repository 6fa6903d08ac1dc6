import { createHash } from 'node:crypto';
import {
  address,
  appendTransactionMessageInstruction,
  blockhash,
  compileTransaction,
  createTransactionMessage,
  getBase58Decoder,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { utf8 } from '@streaming-yao/core';
import fc from 'fast-check';
import {
  actions,
  buildDelegateAction,
  createTransaction,
  encodeDelegateAction,
  encodeTransaction,
  PublicKey,
  Signer,
} from 'near-api-js';
import { describe, expect, it } from 'vitest';
import { kindOf } from '../src/message-kind.ts';

const key = Uint8Array.from({ length: 32 }, (_, i) => i + 1);
const otherKey = key.map((byte) => byte ^ 0x55);
const base58 = (bytes: Uint8Array): string => getBase58Decoder().decode(bytes);
const digestOf = (bytes: Uint8Array): Uint8Array => new Uint8Array(createHash('sha256').update(bytes).digest());
const ofDigest = (preimage: Uint8Array, by = key) => kindOf(digestOf(preimage), preimage, by);

function solana(version: 'legacy' | 0): Uint8Array {
  const instruction = {
    programAddress: address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'),
    accounts: [{ address: address(base58(otherKey)), role: 1 as const }],
    data: utf8('hello'),
  };
  const lifetime = { blockhash: blockhash('4sGjMW1sUnHzSxGspuhpqLDx6wiyjNtZAMdL4VZHirAn'), lastValidBlockHeight: 1n };
  const message = pipe(
    createTransactionMessage({ version }),
    (empty) => setTransactionMessageFeePayer(address(base58(key)), empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (living) => appendTransactionMessageInstruction(instruction, living),
  );
  return Uint8Array.from(compileTransaction(message).messageBytes);
}

/** One lookup table with one writable and two readonly entries, the last of which the instruction names. */
function solanaWithLookups(): Uint8Array {
  const plain = solana(0);
  const lookups = [1, ...otherKey, 1, 7, 2, 8, 9];
  const bytes = Uint8Array.from([...plain.subarray(0, -1), ...lookups]);
  // The instruction is the last one: program, number of accounts, account, number of data bytes, data.
  bytes[plain.length - 1 - 'hello'.length - 2] = 5;
  return bytes;
}

const nearKey = PublicKey.from(`ed25519:${base58(key)}`);
const delegateAction = buildDelegateAction({
  ...{ senderId: 'alice.near', receiverId: 'bo.near', actions: [actions.transfer(7n)], nonce: 3n, maxBlockHeight: 9n },
  publicKey: nearKey,
});
const everyAction = [
  actions.createAccount(),
  actions.deployContract(Uint8Array.of(1, 2)),
  actions.functionCall('set', { a: 1 }, 5n, 6n),
  actions.transfer(7n),
  actions.stake(8n, nearKey),
  actions.addFullAccessKey(nearKey),
  actions.addFunctionCallAccessKey(nearKey, 'bo.near', ['get'], 3n),
  actions.deleteKey(nearKey),
  actions.deleteAccount('bo.near'),
];
/** Its signatures have the right form. */
class BlankSigner extends Signer {
  async getPublicKey() {
    return nearKey;
  }
  async signBytes() {
    return new Uint8Array(64);
  }
}
const near = (taken: Parameters<typeof createTransaction>[4]): Uint8Array =>
  encodeTransaction(createTransaction('alice.near', nearKey, 'bo.near', 1n, taken, new Uint8Array(32).fill(9)));

describe('a transaction of Solana', () => {
  it.each([
    ['legacy', solana('legacy')],
    ['version 0', solana(0)],
    ['with an address table', solanaWithLookups()],
  ])('%s: is one to its last byte, for a key that signs it', (_, message) => {
    expect(kindOf(message, null, key)).toBe('solana-transaction');
    expect(kindOf(message, null, otherKey)).toBe('bytes');
    for (let length = 0; length < message.length; length++) {
      expect(kindOf(message.subarray(0, length), null, key)).not.toBe('solana-transaction');
    }
    expect(kindOf(Uint8Array.from([...message, 0]), null, key)).toBe('bytes');
  });

  it('is none with a program that pays, an account that is not there, or a length in a longer form', () => {
    const message = solana('legacy');
    const program = message.length - 'hello'.length - 4;
    for (const [at, value] of [
      [program, 0],
      [program, 3],
      [program + 2, 3],
      [0, 9],
      [1, 1],
    ] as const) {
      const changed = message.slice();
      changed[at] = value;
      expect(kindOf(changed, null, key)).toBe('bytes');
    }
    const longer = Uint8Array.from([...message.subarray(0, 3), 0x80 | (message[3] as number), 0, ...message.subarray(4)]);
    expect(kindOf(longer, null, key)).toBe('bytes');
  });
});

describe('what NEAR signs', () => {
  it('is a transaction, with every action that it may have', async () => {
    expect(ofDigest(near([]))).toBe('near-transaction');
    for (const action of everyAction) expect(ofDigest(near([action]))).toBe('near-transaction');
    const { signedDelegate } = await new BlankSigner().signDelegateAction(delegateAction);
    expect(ofDigest(near([...everyAction, actions.signedDelegate(signedDelegate)]))).toBe('near-transaction');
  });

  it('is a delegate action', () => {
    expect(ofDigest(encodeDelegateAction(delegateAction))).toBe('near-delegate');
  });

  it.each([
    ['a transaction', near(everyAction)],
    ['a delegate action', encodeDelegateAction(delegateAction)],
  ])('%s is one to its last byte, and of this key only', (_, encoded) => {
    expect(ofDigest(encoded, otherKey)).toBe('bytes');
    for (let length = 0; length < encoded.length; length++) expect(ofDigest(encoded.slice(0, length))).toBe('bytes');
    expect(ofDigest(Uint8Array.from([...encoded, 0]))).toBe('bytes');
  });

  it('is seen from what was hashed only: a digest alone is bytes, and another preimage is refused', () => {
    const encoded = near([]);
    expect(kindOf(digestOf(encoded), null, key)).toBe('bytes');
    expect(kindOf(encoded, null, key)).toBe('bytes');
    expect(() => kindOf(digestOf(near(everyAction)), encoded, key)).toThrow(
      expect.objectContaining({ code: 'invalid_request', party: 'client' }),
    );
  });

  it('is refused as fast as it is read when it claims more than it has', () => {
    const claims = near([]);
    claims.fill(0xff, -4);
    expect(ofDigest(claims)).toBe('bytes');
  });
});

describe('text', () => {
  it.each(['', 'pay 3 to Bo', 'two\nlines\r\n\tand a tab', 'パスキー 🙂'])('%j is text', (text) => {
    expect(kindOf(utf8(text), null, key)).toBe('text');
  });

  it.each([
    ['a control character', utf8('a\u0000b')],
    ['another one, of two bytes', utf8('a\u0085b')],
    ['no UTF-8', Uint8Array.of(0x61, 0xff)],
    ['as long as a digest, which could be found to read as text', utf8('x'.repeat(32))],
  ])('with %s it is bytes', (_, message) => {
    expect(kindOf(message, null, key)).toBe('bytes');
  });
});

it('whatever is done to a transaction, it never becomes text', () => {
  const messages = [solana('legacy'), solana(0), solanaWithLookups()];
  const changes = fc.array(fc.tuple(fc.nat(300), fc.integer({ min: 0, max: 255 })), { maxLength: 6 });
  fc.assert(
    fc.property(fc.constantFrom(...messages), changes, (message, list) => {
      const changed = message.slice();
      for (const [at, value] of list) if (at > 1 && at < changed.length) changed[at] = value;
      expect(kindOf(changed, null, key)).not.toBe('text');
    }),
    { numRuns: 500 },
  );
});
