import { Agent, request as httpRequest } from 'node:http';
import { sha256 } from '@noble/hashes/sha2.js';
import type { Effect } from '@streaming-yao/ceremony/program';
import { ERROR_CODES, type ErrorCode, type Json, LIMITS, toHex } from '@streaming-yao/core';
import { CeremonyRequest, ceremonyIdOf, DeploymentFacts, inputInfo } from '@streaming-yao/wire';
import { beforeAll, describe, expect, test } from 'vitest';
import { authorizedRequest, type RegisteredKey, registerKey } from './ceremonies.ts';
import { type Around, newWalletId, random, secret, TestDevice } from './device.ts';
import { sharedStack } from './shared-stack.ts';
import { memoryOf } from './storage.ts';

const shared = sharedStack();
let key: RegisteredKey;

beforeAll(async () => {
  key = await registerKey(new TestDevice(shared.stack));
});

const DERIVERS = ['deriver-a', 'deriver-b'] as const;
const flipped = (bytes: Uint8Array): Uint8Array => bytes.map((byte, i) => (i === 40 ? byte ^ 1 : byte));

interface Answer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly body: unknown;
}

/** One connection, whatever happens on it. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

function post(
  body: string | Uint8Array,
  headers: Record<string, string> = { 'content-type': 'application/json' },
  path = '/v1/ceremonies',
) {
  return new Promise<Answer & { readonly reused: boolean }>((resolve, reject) => {
    const sent = httpRequest(new URL(path, shared.stack.routerUrl), { method: 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
        const { statusCode: status = 0, headers: answered } = response;
        resolve({ status, contentType: answered['content-type'], body, reused: sent.reusedSocket });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Exactly the fields of an error, with the code's status; `ceremonyId` where the request had one. */
function expectError(answer: Answer, code: ErrorCode, ceremonyId?: string): void {
  expect(answer.status).toBe(ERROR_CODES[code].status);
  expect(answer.contentType).toBe('application/json');
  const { error } = answer.body as { error: Record<string, unknown> };
  const { message, party: _, ...rest } = error;
  expect(rest).toEqual({ code, retryable: ERROR_CODES[code].retryable, ...(ceremonyId !== undefined && { ceremonyId }) });
  expect(message).toMatch(/\w+ \w+/);
}

const idOf = ({ core, envelopeA, envelopeB }: CeremonyRequest): string =>
  toHex(ceremonyIdOf(core, { a: sha256(envelopeA), b: sha256(envelopeB) }));

/** Posts a request; whatever it is refused with, no role has stored anything. */
async function refused(json: Json, code: ErrorCode, ceremonyId?: string): Promise<void> {
  const before = await memoryOf(shared.stack);
  expectError(await post(JSON.stringify(json)), code, ceremonyId);
  expect((await memoryOf(shared.stack)).filter((record) => !isBurned(record, ceremonyId))).toEqual(before);
}

/** A may have begun when B refuses its envelope; then A remembers that this ceremony may never run. */
function isBurned(record: string, ceremonyId: string | undefined): boolean {
  const burned = /^deriver-a ceremony (\S+) [0-9a-f]*0200$/.exec(record);
  return burned !== null && burned[1] === ceremonyId;
}

type JsonObject = { readonly [name: string]: Json };

async function validJson(): Promise<JsonObject & { readonly core: JsonObject }> {
  return CeremonyRequest.toJson(await authorizedRequest(key, 'export')) as JsonObject & { core: JsonObject };
}

describe('a body that is no request', () => {
  test.each(['', 'register', '{"core":'])('%j is not JSON', async (body) => {
    expectError(await post(body), 'invalid_json');
  });

  test('bytes that are not UTF-8', async () => {
    expectError(await post(Uint8Array.of(0x22, 0xff, 0x22)), 'invalid_json');
  });

  test.each(['null', '[]', '7', '"text"', '{}'])('%s is JSON of another shape', async (body) => {
    expectError(await post(body), 'invalid_request');
  });

  test('more than 64 KiB', async () => {
    expectError(await post(JSON.stringify('x'.repeat(LIMITS.bodyBytes))), 'payload_too_large');
    expectError(await post(JSON.stringify('x'.repeat(LIMITS.bodyBytes - 2))), 'invalid_request');
  });

  test.each([{}, { 'content-type': 'text/plain' }, { 'content-type': 'application/json', 'content-encoding': 'gzip' }])(
    'headers %j',
    async (headers) => {
      expectError(await post(JSON.stringify(await validJson()), headers), 'unsupported_media_type');
    },
  );

  test('another path, another method', async () => {
    expectError(await post('{}', undefined, '/v1/ceremony'), 'unknown_route');
    const response = await fetch(new URL('/v1/ceremonies', shared.stack.routerUrl));
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
  });
});

describe('a request that is malformed', () => {
  test('unknown field, at the top or within', async () => {
    const valid = await validJson();
    await refused({ ...valid, force: true }, 'unknown_field');
    await refused({ ...valid, core: { ...valid.core, admin: 1 } }, 'unknown_field');
  });

  test('missing field', async () => {
    const { envelopeB: _, ...rest } = await validJson();
    await refused(rest, 'invalid_request');
  });

  test('wrong length', async () => {
    const valid = await validJson();
    await refused({ ...valid, envelopeA: Buffer.alloc(79).toString('base64url') }, 'invalid_length');
    await refused({ ...valid, core: { ...valid.core, clientNonce: 'AAAA' } }, 'invalid_length');
  });

  test('unknown operation', async () => {
    const valid = await validJson();
    await refused({ ...valid, core: { ...valid.core, operation: 'steal' } }, 'unknown_operation');
  });
});

describe('a request that nobody may make', () => {
  test('unknown wallet', async () => {
    const device = new TestDevice(shared.stack, { walletId: newWalletId('unknown'), credential: key.device.credential });
    const request = await authorizedRequest({ ...key, device }, 'export');
    await refused(CeremonyRequest.toJson(request), 'unknown_wallet', idOf(request));
  });

  test('unknown key of a known wallet', async () => {
    const request = await authorizedRequest(key, 'export', { keyIndex: 9 });
    await refused(CeremonyRequest.toJson(request), 'unknown_wallet', idOf(request));
  });

  test('an envelope changed on its way', async () => {
    const request = await authorizedRequest(key, 'export');
    const tampered = { ...request, envelopeA: flipped(request.envelopeA) };
    await refused(CeremonyRequest.toJson(tampered), 'authorization_invalid', idOf(tampered));
  });

  test.each(DERIVERS)(
    'an authorized envelope that %s cannot open: changed, or for the other Deriver, or for another purpose',
    async (role) => {
      const facts = DeploymentFacts.fromJson(await key.device.router('/.well-known/streaming-yao'));
      const other = DERIVERS.find((each) => each !== role) as (typeof DERIVERS)[number];
      const publicKey = facts.keys.find(({ statement }) => statement.role === other)?.statement.publicKey as Uint8Array;
      const wrong: readonly Around[] = [
        async (effect, perform) => flipped((await perform(effect)) as Uint8Array),
        (effect, perform) => perform({ ...effect, publicKey, info: inputInfo(other) } as Effect),
        (effect, perform) => perform({ ...effect, info: inputInfo(other) } as Effect),
        (effect, perform) => perform({ ...effect, aad: random(32) } as Effect),
      ];
      for (const sealing of wrong) {
        const around: Around = (effect, perform) =>
          effect.kind === 'seal' && toHex(effect.info) === toHex(inputInfo(role)) ? sealing(effect, perform) : perform(effect);
        const request = await authorizedRequest(key, 'export', {}, around);
        await refused(CeremonyRequest.toJson(request), 'envelope_rejected', idOf(request));
      }
    },
  );

  test('an expired request, and one from the future', async () => {
    for (const shift of [-LIMITS.requestLifeMs - 1000, LIMITS.clockSkewMs + 5000]) {
      const { walletId, credential } = key.device;
      const device = new TestDevice(shared.stack, { walletId, credential, now: () => Date.now() + shift });
      const request = await authorizedRequest({ ...key, device }, 'refresh');
      await refused(CeremonyRequest.toJson(request), 'request_expired', idOf(request));
    }
  });

  test('another client root than the registered key’s', async () => {
    using root = secret();
    const request = await authorizedRequest({ ...key, root }, 'export');
    expectError(await post(JSON.stringify(CeremonyRequest.toJson(request))), 'key_mismatch', idOf(request));
  });
});

test('a hundred refusals in a row on one connection all get their JSON', async () => {
  const valid = await validJson();
  const bodies: readonly (readonly [string, ErrorCode])[] = [
    ['{', 'invalid_json'],
    [JSON.stringify('x'.repeat(2 * LIMITS.bodyBytes)), 'payload_too_large'],
    [JSON.stringify({ ...valid, force: true }), 'unknown_field'],
    [JSON.stringify({ ...valid, core: { ...valid.core, operation: 'steal' } }), 'unknown_operation'],
  ];
  let reused = 0;
  for (let i = 0; i < 100; i++) {
    const [body, code] = bodies[i % bodies.length] as (typeof bodies)[number];
    const answer = await post(body);
    expectError(answer, code);
    if (answer.reused) reused++;
  }
  expect(reused).toBeGreaterThanOrEqual(99);
});

test('the wallet is none the worse for all this', async () => {
  const { a, b } = { a: await authorizedRequest(key, 'refresh'), b: await authorizedRequest(key, 'export') };
  for (const request of [a, b]) expect((await post(JSON.stringify(CeremonyRequest.toJson(request)))).status).toBe(200);
});
