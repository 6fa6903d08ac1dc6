import { ed25519, x25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { type ErrorCode, LIMITS } from '@streaming-yao/core';
import { Authority, type CeremonyRequest, ceremonyIdOf, type DeriverRole, HpkeKey, idOfCredential } from '@streaming-yao/wire';
import { describe, expect, test } from 'vitest';
import { all, sign } from '../src/program.ts';
import { grantOf, type HostileScene, openHostileScene, type Relayed, relay, resigned } from './hostile-router.ts';

const DERIVERS: readonly DeriverRole[] = ['deriver-a', 'deriver-b'];
/** A key pair of the Router's own, for every purpose. */
const OWN_SECRET = new Uint8Array(32).fill(7);

/** Both Derivers refuse with `code`, nothing leaves them, and the user's key still signs. */
async function bothRefuse(scene: HostileScene, relayed: Relayed, code: ErrorCode): Promise<void> {
  for (const role of DERIVERS) expect([role, await scene.asRouter(relay(scene, role, relayed))]).toEqual([role, code]);
  expect(scene.released).toEqual([]);
  expect(await scene.stillSigns()).toBe(true);
}

test('what the Router relays unchanged is answered by both', async () => {
  const scene = await openHostileScene('unchanged');
  const request = await scene.request('export');
  const codes = await scene.asRouter(all(relay(scene, 'deriver-a', { request }), relay(scene, 'deriver-b', { request })));
  expect(codes).toEqual(['answered', 'answered']);
  expect(scene.released.toSorted()).toEqual(['deriver-a /ceremony', 'deriver-b /ceremony']);
});

describe('a hostile Router is refused by both Derivers when it', () => {
  test('replaces the envelopes under the same core', async () => {
    const scene = await openHostileScene('envelopes replaced');
    const request = await scene.request('export');
    const forged = { envelopeA: new Uint8Array(80).fill(1), envelopeB: new Uint8Array(80).fill(2) };
    await bothRefuse(scene, { request: { ...request, ...forged } }, 'authorization_invalid');
    await bothRefuse(scene, { request: resigned(request, forged) }, 'authorization_invalid');
  });

  test('joins envelope A of one request with envelope B of another', async () => {
    const scene = await openHostileScene('envelopes mixed');
    const [one, other] = [await scene.request('export'), await scene.request('export')];
    await bothRefuse(scene, { request: { ...one, envelopeB: other.envelopeB } }, 'authorization_invalid');
  });

  test('hands each Deriver another of the user’s requests: they never meet', async () => {
    const scene = await openHostileScene('two requests at once');
    const [one, other] = [await scene.request('export'), await scene.request('export')];
    const codes = await scene.asRouter(
      all(relay(scene, 'deriver-a', { request: one }), relay(scene, 'deriver-b', { request: other })),
    );
    expect(codes).toEqual(['deadline_exceeded', 'deadline_exceeded']);
    expect(scene.released).toEqual([]);
  });

  test('names a recipient key of its own', async () => {
    const scene = await openHostileScene('own recipient');
    const request = await scene.request('export');
    const core = { ...request.core, recipientKey: x25519.getPublicKey(OWN_SECRET) };
    await bothRefuse(scene, { request: { ...request, core } }, 'authorization_invalid');
    await bothRefuse(scene, { request: resigned(request, { core }) }, 'authorization_invalid');
  });

  test('serves an HPKE key of its own as the SigningWorker’s', async () => {
    const scene = await openHostileScene('own key of the SigningWorker');
    const request = await scene.request('refresh');
    const statement: HpkeKey = {
      role: 'signing-worker',
      keyId: request.core.signingWorkerKeyId,
      publicKey: x25519.getPublicKey(OWN_SECRET),
      notBeforeMs: 0,
      notAfterMs: scene.world.nowMs + 3_600_000,
      deployment: request.core.deployment,
      profile: request.core.profile,
    };
    const signature = await scene.asRouter(sign(HpkeKey.encode(statement)));
    await bothRefuse(scene, { request, signingWorkerKey: { statement, signature } }, 'key_statement_invalid');
  });

  test('grants what no user has authorized', async () => {
    const scene = await openHostileScene('no authorization');
    const request = await scene.request('export');
    const invented = { ...request.core, clientNonce: new Uint8Array(32).fill(9) };
    await bothRefuse(scene, { request: resigned(request, { core: invented }) }, 'authorization_invalid');
    const credential = { kind: 'ed25519', purpose: 'device', publicKey: ed25519.getPublicKey(OWN_SECRET), label: '' } as const;
    const proof = { ...request.authorization.proof, credentialId: idOfCredential(credential) };
    const authorization = { ...request.authorization, proof };
    await bothRefuse(scene, { request: { ...request, authorization } }, 'authorization_invalid');
  });

  test('brings credentials of its own', async () => {
    const scene = await openHostileScene('own credentials');
    const request = await scene.request('export');
    const credential = { kind: 'ed25519', purpose: 'device', publicKey: ed25519.getPublicKey(OWN_SECRET), label: '' } as const;
    const recorded = scene.wallet.device.credentials;
    const proofOf = (statement: Uint8Array) => ({
      credentialId: idOfCredential(credential),
      evidence: { kind: 'signature', signature: ed25519.sign(statement, OWN_SECRET) } as const,
    });
    const first = { deployment: request.core.deployment, walletId: request.core.walletId, version: 1, previous: null };
    const own = (authority: Authority): CeremonyRequest => {
      const changes = {
        authorityUpdates: [{ authority, proof: authority.version === 1 ? null : proofOf(Authority.encode(authority)) }],
      };
      return resigned(request, { ...changes, core: { ...request.core, authority: Authority.digest(authority) } });
    };
    await bothRefuse(scene, { request: own({ ...first, credentials: [credential] }) }, 'authority_mismatch');
    const previous = Authority.digest({ ...first, credentials: recorded });
    const successor = { ...first, version: 2, previous, credentials: [...recorded, credential] };
    await bothRefuse(scene, { request: own(successor) }, 'authorization_invalid');
  });

  test('replays an old authorization', async () => {
    const scene = await openHostileScene('old authorization');
    const [exported, refreshed] = [await scene.request('export'), await scene.request('refresh')];
    scene.world.schedule.clock.passUntil(scene.world.nowMs + LIMITS.exportAuthorizationMs + 1);
    await bothRefuse(scene, { request: exported }, 'authorization_expired');
    scene.world.schedule.clock.passUntil(scene.world.nowMs + LIMITS.requestLifeMs);
    await bothRefuse(scene, { request: refreshed }, 'request_expired');
  });

  test('registers a registered key once more', async () => {
    const scene = await openHostileScene('registered twice');
    await bothRefuse(scene, { request: await scene.request('register') }, 'key_exists');
  });

  test('shows the grant of another ceremony, an expired one, or one that another role signed', async () => {
    const scene = await openHostileScene('grants');
    const [request, other] = [await scene.request('export'), await scene.request('export')];
    const ids = [request, other].map(({ core, envelopeA, envelopeB }) =>
      ceremonyIdOf(core, { a: sha256(envelopeA), b: sha256(envelopeB) }),
    ) as [Uint8Array, Uint8Array];
    const grant = await scene.asRouter(grantOf(scene, other.core, ids[1]));
    await bothRefuse(scene, { request, grant }, 'grant_invalid');
    const own = await scene.asRouter(grantOf(scene, request.core, ids[0]));
    await bothRefuse(scene, { request, grant: `${own.slice(0, -8)}AAAAAAAA` }, 'grant_invalid');
    const mixed = await scene.asRouter(grantOf(scene, other.core, ids[0]));
    await bothRefuse(scene, { request, grant: mixed }, 'grant_invalid');
    scene.world.schedule.clock.passUntil(scene.world.nowMs + LIMITS.requestLifeMs + 1);
    const fresh = await scene.request('export');
    await bothRefuse(scene, { request: fresh, grant: own }, 'grant_invalid');
  });
});
