import { createHash } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { type verifyAuthenticationResponse as Verify, verifyAuthenticationResponse } from '@simplewebauthn/server';
import { concatBytes, fromBase64Url, fromHex, toBase64Url, utf8, YaoError } from '@streaming-yao/core';
import { type Assertion, challengeOf, idOfCredential, type PasskeyCredential, statementDigest } from '@streaming-yao/wire';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type PasskeyRules, rawSignature } from '../src/assertion.ts';
import { checkProof } from '../src/credential-proof.ts';
import { type Effect, run } from '../src/program.ts';
import recordedInChromium from './fixtures/chromium-assertion.json' with { type: 'json' };

const RULES: PasskeyRules = { rpId: 'wallet.example', origins: ['https://wallet.example', 'https://app.wallet.example'] };
const SECRET = new Uint8Array(32).fill(5);
const PUBLIC_KEY = p256.getPublicKey(SECRET, false);
const PASSKEY: PasskeyCredential = {
  ...{ kind: 'passkey', purpose: 'device', label: 'test' },
  publicKey: PUBLIC_KEY,
  passkeyId: utf8('an id of the authenticator'),
};
const STATEMENT = utf8('what the user approves of');
const sha256 = (bytes: Uint8Array): Uint8Array => new Uint8Array(createHash('sha256').update(bytes).digest());

/** All of an answer that a page or an authenticator could get wrong. */
interface Answer {
  readonly rpIdHash: Uint8Array;
  readonly flags: number;
  readonly counter: number;
  readonly rest: Uint8Array;
  readonly clientData: unknown;
  readonly batch: readonly Uint8Array[];
}

const RIGHT: Answer = {
  rpIdHash: sha256(utf8('wallet.example')),
  flags: 0x05,
  counter: 0,
  rest: new Uint8Array(),
  clientData: {
    type: 'webauthn.get',
    challenge: toBase64Url(statementDigest(STATEMENT)),
    origin: 'https://wallet.example',
    crossOrigin: false,
  },
  batch: [],
};

const clientData = (change: object): Partial<Answer> => ({ clientData: { ...(RIGHT.clientData as object), ...change } });

/** The answer as an authenticator with the passkey's key signs it. */
function signed(answer: Answer): Assertion {
  const tail = new Uint8Array(5);
  new DataView(tail.buffer).setUint8(0, answer.flags);
  new DataView(tail.buffer).setUint32(1, answer.counter);
  const authenticatorData = concatBytes(answer.rpIdHash, tail, answer.rest);
  const { clientData } = answer;
  const clientDataJson = clientData instanceof Uint8Array ? clientData : utf8(JSON.stringify(clientData));
  const message = concatBytes(authenticatorData, sha256(clientDataJson));
  const signature = p256.sign(message, SECRET, { format: 'der' });
  return { kind: 'assertion', authenticatorData, clientDataJson, signature, batch: answer.batch };
}

function perform(effect: Effect): unknown {
  if (effect.kind !== 'verify' || effect.algorithm !== 'p256') throw new Error(`unexpected ${effect.kind}`);
  return p256.verify(effect.signature, effect.message, effect.publicKey, { lowS: false });
}

interface Place {
  readonly rules: PasskeyRules;
  readonly passkey: PasskeyCredential;
  readonly statement: Uint8Array;
}
const PLACE: Place = { rules: RULES, passkey: PASSKEY, statement: STATEMENT };

async function ours(assertion: Assertion, { rules, passkey, statement } = PLACE): Promise<boolean> {
  const proof = { credentialId: idOfCredential(passkey), evidence: assertion };
  try {
    await run(checkProof({ passkeys: rules }, passkey, statement, proof), perform);
    return true;
  } catch (error) {
    if (error instanceof YaoError && error.code === 'authorization_invalid') return false;
    throw error;
  }
}

/** COSE_Key of a passkey (RFC 9052 section 7). */
function coseKey({ publicKey }: PasskeyCredential): Uint8Array<ArrayBuffer> {
  const [x, y] = [publicKey.slice(1, 33), publicKey.slice(33)];
  return Uint8Array.from(concatBytes(fromHex('a5010203262001215820'), x, fromHex('225820'), y));
}

async function theirs(
  assertion: Assertion,
  { rules, passkey, statement } = PLACE,
  challenge = toBase64Url(statementDigest(statement)),
): Promise<boolean> {
  const id = toBase64Url(passkey.passkeyId);
  const options: Parameters<typeof Verify>[0] = {
    response: {
      ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
      response: {
        authenticatorData: toBase64Url(assertion.authenticatorData),
        clientDataJSON: toBase64Url(assertion.clientDataJson),
        signature: toBase64Url(assertion.signature),
      },
    },
    expectedChallenge: challenge,
    expectedOrigin: [...rules.origins],
    expectedRPID: rules.rpId,
    credential: { id, publicKey: coseKey(passkey), counter: 0 },
    requireUserVerification: true,
  };
  return verifyAuthenticationResponse(options).then(
    ({ verified }) => verified,
    () => false,
  );
}

describe('a passkey’s answer has the verdict of SimpleWebAuthn:', () => {
  const cases: readonly (readonly [string, Partial<Answer>, boolean])[] = [
    ['right', {}, true],
    ['of another allowed origin', clientData({ origin: 'https://app.wallet.example' }), true],
    ['with a counter', { counter: 7 }, true],
    ['of a passkey that travels', { flags: 0x1d }, true],
    ['with extensions', { flags: 0x85, rest: fromHex('a0') }, true],
    ['with more client data than today', clientData({ other_keys_can_be_added_here: 'yes' }), true],
    ['without a word on frames', clientData({ crossOrigin: undefined }), true],
    ['of a creation', clientData({ type: 'webauthn.create' }), false],
    ['to another challenge', clientData({ challenge: toBase64Url(sha256(utf8('other'))) }), false],
    ['to the challenge with padding', clientData({ challenge: `${toBase64Url(statementDigest(STATEMENT))}=` }), false],
    ['of a foreign origin', clientData({ origin: 'https://wallet.example.evil.example' }), false],
    ['of an allowed origin without TLS', clientData({ origin: 'http://wallet.example' }), false],
    ['of an origin with a path', clientData({ origin: 'https://wallet.example/' }), false],
    ['without an origin', clientData({ origin: undefined }), false],
    ['inside a foreign page', clientData({ crossOrigin: true, topOrigin: 'https://evil.example' }), false],
    ['inside a page that denies it', clientData({ topOrigin: 'https://evil.example' }), false],
    ['without a user', { flags: 0x04 }, false],
    ['without a verified user', { flags: 0x01 }, false],
    ['of a passkey that cannot travel and has', { flags: 0x15 }, false],
    ['for another relying party', { rpIdHash: sha256(utf8('example')) }, false],
    ['with bytes that nobody announced', { rest: new Uint8Array(1) }, false],
    ['with extensions that are not there', { flags: 0x85 }, false],
    ['with client data that are no JSON', { clientData: utf8('{') }, false],
    ['with client data that are no object', { clientData: 'webauthn.get' }, false],
  ];
  test.each(cases)('%s', async (_, change, verdict) => {
    const assertion = signed({ ...RIGHT, ...change });
    expect([await ours(assertion), await theirs(assertion)]).toEqual([verdict, verdict]);
  });

  test('with any one bit changed', async () => {
    const right = signed(RIGHT);
    const parts = ['authenticatorData', 'clientDataJson', 'signature'] as const;
    const place = fc.record({ part: fc.constantFrom(...parts), at: fc.nat(), bit: fc.nat({ max: 7 }) });
    await fc.assert(
      fc.asyncProperty(place, async ({ part, at, bit }) => {
        const changed = right[part].slice();
        const index = at % changed.length;
        changed[index] = (changed[index] as number) ^ (1 << bit);
        const assertion = { ...right, [part]: changed };
        expect(await ours(assertion)).toBe(false);
        // Its reader of signatures forgives slips of DER that ours does not.
        if (part !== 'signature') expect(await theirs(assertion)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});

test('ours alone is refused: inside a page of which nothing is said, with attested data, without rules', async () => {
  expect(await ours(signed({ ...RIGHT, ...clientData({ crossOrigin: true }) }))).toBe(false);
  expect(await ours(signed({ ...RIGHT, flags: 0x45, rest: new Uint8Array(20) }))).toBe(false);
  const proof = { credentialId: idOfCredential(PASSKEY), evidence: signed(RIGHT) };
  await expect(run(checkProof({}, PASSKEY, STATEMENT, proof), perform)).rejects.toMatchObject({ code: 'authorization_invalid' });
});

test('a real browser’s answer, with the PRF asked for, is right here and there, and for nothing else', async () => {
  const { rpId, origin, statement, ...recorded } = recordedInChromium;
  const of = (name: keyof typeof recorded): Uint8Array => fromBase64Url(recorded[name]);
  const assertion: Assertion = {
    ...{ kind: 'assertion', batch: [] },
    ...{ authenticatorData: of('authenticatorData'), clientDataJson: of('clientDataJson'), signature: of('signature') },
  };
  const passkey = { ...PASSKEY, publicKey: of('publicKey'), passkeyId: of('passkeyId') };
  const rules = { rpId, origins: [origin] };
  const place = { rules, passkey, statement: utf8(statement) };
  expect([await ours(assertion, place), await theirs(assertion, place)]).toEqual([true, true]);
  for (const change of [{ statement: utf8('other') }, { rules: RULES }, { passkey: PASSKEY }]) {
    const changed = { ...place, ...change };
    expect([await ours(assertion, changed), await theirs(assertion, changed)]).toEqual([false, false]);
  }
});

describe('one answer for several statements', () => {
  const others = [sha256(utf8('one')), sha256(utf8('two'))];
  const own = statementDigest(STATEMENT);
  const asked = (digests: readonly Uint8Array[]): Partial<Answer> => ({
    ...clientData({ challenge: toBase64Url(challengeOf(digests)) }),
    batch: digests,
  });

  test('covers each of them', async () => {
    for (const digests of [
      [own, ...others],
      [...others, own],
    ]) {
      const assertion = signed({ ...RIGHT, ...asked(digests) });
      expect(await ours(assertion)).toBe(true);
      expect(await theirs(assertion, PLACE, toBase64Url(challengeOf(digests)))).toBe(true);
    }
  });

  test('covers nothing that was not asked', async () => {
    expect(await ours(signed({ ...RIGHT, ...asked(others) }))).toBe(false);
    expect(await ours(signed({ ...RIGHT, ...asked([own, ...others]), batch: [own, others[0] as Uint8Array] }))).toBe(false);
    expect(await ours(signed({ ...RIGHT, ...asked([own, ...others]), batch: [] }))).toBe(false);
    expect(await ours(signed({ ...RIGHT, batch: [own] }))).toBe(false);
    const answer = signed({ ...RIGHT, ...asked([own, ...others]) });
    expect(await ours(answer, { ...PLACE, statement: utf8('something else') })).toBe(false);
  });
});

test('a key’s proof is not a passkey’s, nor the other way round', async () => {
  const evidence = { kind: 'signature', signature: p256.sign(STATEMENT, SECRET) } as const;
  const key = { kind: 'p256', purpose: 'device', publicKey: PUBLIC_KEY, label: '' } as const;
  const check = (credential: typeof key | PasskeyCredential, proof: Assertion | typeof evidence) =>
    run(
      checkProof({ passkeys: RULES }, credential, STATEMENT, { credentialId: idOfCredential(credential), evidence: proof }),
      perform,
    );
  await expect(check(key, evidence)).resolves.toBeUndefined();
  await expect(check(PASSKEY, signed(RIGHT))).resolves.toBeUndefined();
  await expect(check(key, signed(RIGHT))).rejects.toMatchObject({ code: 'authorization_invalid' });
  await expect(check(PASSKEY, evidence)).rejects.toMatchObject({ code: 'authorization_invalid' });
});

describe('DER', () => {
  const parses = (read: () => unknown): boolean => {
    try {
      read();
      return true;
    } catch {
      return false;
    }
  };
  const scalar = fc.bigInt({ min: 1n, max: p256.Point.Fn.ORDER - 1n });

  test('of any signature gives back r and s', () => {
    const short = fc.bigInt({ min: 1n, max: 0xffffn });
    fc.assert(
      fc.property(fc.oneof(scalar, short), fc.oneof(scalar, short), (r, s) => {
        const signature = new p256.Signature(r, s);
        expect(rawSignature(signature.toBytes('der'))).toEqual(signature.toBytes('compact'));
      }),
    );
  });

  test('with bytes changed is read exactly when noble reads it', () => {
    const change = fc.record({ at: fc.nat(), value: fc.nat({ max: 255 }), cut: fc.nat({ max: 3 }), more: fc.nat({ max: 1 }) });
    fc.assert(
      fc.property(scalar, scalar, change, (r, s, { at, value, cut, more }) => {
        const der = concatBytes(new p256.Signature(r, s).toBytes('der'), new Uint8Array(more));
        der[at % der.length] = value;
        const bytes = der.slice(0, der.length - cut);
        const noble = parses(() => p256.Signature.fromBytes(bytes, 'der'));
        const own = parses(() => rawSignature(bytes));
        // Noble also refuses numbers that are not below the group's order; here that is left to the verification.
        if (noble !== own) expect(own && parses(() => p256.verify(rawSignature(bytes), STATEMENT, PUBLIC_KEY))).toBe(true);
        if (noble) expect(rawSignature(bytes)).toEqual(p256.Signature.fromBytes(bytes, 'der').toBytes('compact'));
      }),
      { numRuns: 2000 },
    );
  });
});
