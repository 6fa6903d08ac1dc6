import { ed25519, x25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { RouterConnection } from '@streaming-yao/client';
import { type ErrorCode, LIMITS, type SecretBytes } from '@streaming-yao/core';
import {
  ActivationCall,
  CeremonyAnswer,
  type CeremonyRequest,
  ceremonyIdOf,
  DeploymentFacts,
  HpkeKey,
  type Role,
  receiptHeader,
  requesterMessage,
  type SignedReceipt,
  signingInput,
} from '@streaming-yao/wire';
import { beforeAll, describe, expect, test } from 'vitest';
import { authorizedRequest, firstAuthority, type RegisteredKey, registerKey } from './ceremonies.ts';
import { newCredential, outcomeOf, random, TestDevice } from './device.ts';
import { stolenSecret } from './key-folder.ts';
import { sharedStack } from './shared-stack.ts';
import { type Relayed, StolenRouter } from './stolen-router.ts';
import { memoryOf } from './storage.ts';

const shared = sharedStack();
let router: StolenRouter;
let key: RegisteredKey;

beforeAll(async () => {
  router = await StolenRouter.of(shared.stack);
  key = await registerKey(new TestDevice(shared.stack));
});

const DERIVERS = ['deriver-a', 'deriver-b'] as const;
/** A key pair of the Router's own, for every purpose. */
const OWN_SECRET = random(32);

/** The request with changes, under requester keys of the Router's own where that helps. */
function resigned(request: CeremonyRequest, changes: Partial<CeremonyRequest>): CeremonyRequest {
  const changed = { ...request, ...changes };
  const core = { ...changed.core, requesterKey: ed25519.getPublicKey(OWN_SECRET) };
  const id = ceremonyIdOf(core, { a: sha256(changed.envelopeA), b: sha256(changed.envelopeB) });
  const requesterSignature = ed25519.sign(requesterMessage(id), OWN_SECRET);
  return { ...changed, core, authorization: { ...changed.authorization, requesterSignature } };
}

/** Both Derivers refuse by themselves; no role has stored a trace of it, so no package can ever be fetched. */
async function bothRefuse(relayed: Relayed, code: ErrorCode): Promise<void> {
  const before = await memoryOf(shared.stack);
  for (const role of DERIVERS) expect([role, await outcomeOf(router.relay(role, relayed))]).toEqual([role, code]);
  expect(await memoryOf(shared.stack)).toEqual(before);
}

test('what it relays unchanged is answered, so the refusals below have their reasons', async () => {
  const request = await authorizedRequest(key, 'export');
  const { a, b } = await router.relayToBoth({ request });
  expect([a.clientPackage.length, b.clientPackage.length]).toEqual([80, 80]);
});

describe('both Derivers refuse', () => {
  test('envelopes replaced under the same core', async () => {
    const request = await authorizedRequest(key, 'export');
    const forged = { envelopeA: random(80), envelopeB: random(80) };
    await bothRefuse({ request: { ...request, ...forged } }, 'authorization_invalid');
    await bothRefuse({ request: resigned(request, forged) }, 'authorization_invalid');
  });

  test('envelope A of one request with envelope B of another', async () => {
    const [one, other] = [await authorizedRequest(key, 'export'), await authorizedRequest(key, 'export')];
    await bothRefuse({ request: { ...one, envelopeB: other.envelopeB } }, 'authorization_invalid');
    await bothRefuse({ request: { ...one, envelopeA: other.envelopeA } }, 'authorization_invalid');
  });

  test('its own key for the client’s package', async () => {
    const request = await authorizedRequest(key, 'export');
    const core = { ...request.core, recipientKey: x25519.getPublicKey(OWN_SECRET) };
    await bothRefuse({ request: { ...request, core } }, 'authorization_invalid');
    await bothRefuse({ request: resigned(request, { core }) }, 'authorization_invalid');
  });

  test('its own key for the SigningWorker’s package', async () => {
    const request = await authorizedRequest(key, 'refresh');
    const { statement } = await router.signingWorkerKey();
    const own = { ...statement, publicKey: x25519.getPublicKey(OWN_SECRET) };
    const signature = router.sign(HpkeKey.encode(own));
    await bothRefuse({ request, signingWorkerKey: { statement: own, signature } }, 'key_statement_invalid');
  });

  test('a grant without a user’s authorization', async () => {
    const request = await authorizedRequest(key, 'export');
    const invented = { ...request.core, clientNonce: random(32) };
    await bothRefuse({ request: resigned(request, { core: invented }) }, 'authorization_invalid');
    const stranger = new TestDevice(shared.stack, { walletId: key.device.walletId });
    await bothRefuse({ request: await authorizedRequest({ ...key, device: stranger }, 'export') }, 'authority_mismatch');
  });

  test('credentials that the user did not add', async () => {
    const stranger = new TestDevice(shared.stack, { walletId: key.device.walletId, credential: newCredential() });
    const first = await firstAuthority(stranger);
    const changes = { authority: first.authority, authorityUpdates: [first] };
    const request = await authorizedRequest({ ...key, device: stranger }, 'export', changes);
    await bothRefuse({ request }, 'authority_mismatch');
  });

  test('an old authorization', async () => {
    const past = (ageMs: number): TestDevice => {
      const { walletId, credential } = key.device;
      return new TestDevice(shared.stack, { walletId, credential, now: () => Date.now() - ageMs });
    };
    const stale = await authorizedRequest({ ...key, device: past(LIMITS.exportAuthorizationMs + 1000) }, 'export');
    await bothRefuse({ request: stale }, 'authorization_expired');
    const expired = await authorizedRequest({ ...key, device: past(LIMITS.requestLifeMs + 1000) }, 'refresh');
    await bothRefuse({ request: expired }, 'request_expired');
  });

  test('a registered key registered again, as if to recover it', async () => {
    const request = await authorizedRequest(key, 'register', { authorityUpdates: [] });
    await bothRefuse({ request }, 'key_exists');
    const elsewhere = await authorizedRequest(key, 'recover', { registeredKey: x25519.getPublicKey(OWN_SECRET) });
    await bothRefuse({ request: elsewhere }, 'key_mismatch');
  });

  test('the grant of another ceremony', async () => {
    const [request, other] = [await authorizedRequest(key, 'export'), await authorizedRequest(key, 'export')];
    const id = ceremonyIdOf(other.core, { a: sha256(other.envelopeA), b: sha256(other.envelopeB) });
    await bothRefuse({ request, grant: router.grant(other.core, id) }, 'grant_invalid');
  });
});

describe('the client refuses', () => {
  test.each(['deriver-a', 'deriver-b', 'signing-worker'] as const)('an HPKE key of the Router’s own as %s’s', async (role) => {
    const lying: RouterConnection = async (path, body) => {
      const answer = await key.device.router(path, body);
      if (path !== '/.well-known/streaming-yao') throw new Error(`the client went on to ${path}`);
      const facts = DeploymentFacts.fromJson(answer);
      const keys = facts.keys.map((signed) => (signed.statement.role === role ? ownKey(signed.statement) : signed));
      return DeploymentFacts.toJson({ ...facts, keys });
    };
    const { walletId, credential } = key.device;
    const device = new TestDevice(shared.stack, { walletId, credential, router: lying });
    expect(await outcomeOf(authorizedRequest({ ...key, device }, 'export'))).toBe('key_statement_invalid');
  });

  function ownKey(statement: HpkeKey) {
    const own = { ...statement, publicKey: x25519.getPublicKey(OWN_SECRET) };
    return { statement: own, signature: router.sign(HpkeKey.encode(own)) };
  }

  test('a receipt that A has signed twice', async () => {
    using seedA = await stolenSecret(shared.stack, 'deriver-a', 'signing-key');
    const device = new TestDevice(shared.stack, {
      router: answering((answer) => ({ ...answer, receipt: twice(answer.receipt, seedA) })),
    });
    expect(await outcomeOf(registerKey(device))).toBe('receipt_invalid');
  });

  test('a package that the receipt does not name', async () => {
    const device = new TestDevice(shared.stack, { router: answering((answer) => ({ ...answer, packageA: answer.packageB })) });
    expect(await outcomeOf(registerKey(device))).toBe('package_rejected');
  });
});

/** A Router that changes the answers to ceremonies. */
function answering(change: (answer: CeremonyAnswer) => CeremonyAnswer): RouterConnection {
  return async (path, body) => {
    const answer = await key.device.router(path, body);
    return path === '/v1/ceremonies' ? CeremonyAnswer.toJson(change(CeremonyAnswer.fromJson(answer))) : answer;
  };
}

/** The receipt with A's signature in B's place as well, once as it stands and once made for that place. */
function twice(receipt: SignedReceipt, seedA: SecretBytes): SignedReceipt {
  const asB = signingInput(receiptHeader('deriver-b'), receipt.payload);
  return { ...receipt, signatureB: seedA.use((seed) => ed25519.sign(asB, seed)) };
}

describe('the SigningWorker refuses', () => {
  interface Delivered {
    readonly request: CeremonyRequest;
    readonly call: ActivationCall;
  }

  /** A refresh that both Derivers have run, before its server packages are delivered. */
  async function refreshed(): Promise<Delivered> {
    const owner = await registerKey(new TestDevice(shared.stack));
    const request = await authorizedRequest(owner, 'refresh');
    const { core, authorization, authorityUpdates } = request;
    const envelopes = { envelopeA: sha256(request.envelopeA), envelopeB: sha256(request.envelopeB) };
    const grant = router.grant(core, ceremonyIdOf(core, { a: envelopes.envelopeA, b: envelopes.envelopeB }));
    const { a, b, receipt } = await router.relayToBoth({ request, grant });
    if (!a.signingWorkerPackage || !b.signingWorkerPackage) throw new Error('a refresh without server packages');
    const packages = { packageA: a.signingWorkerPackage, packageB: b.signingWorkerPackage };
    return { request, call: { core, ...envelopes, authorization, authorityUpdates, grant, receipt, ...packages } };
  }

  const activate = (call: ActivationCall): Promise<unknown> =>
    router.call('signing-worker', '/activate', ActivationCall.toJson(call));

  async function refuses(call: ActivationCall, code: ErrorCode): Promise<void> {
    const before = await memoryOf(shared.stack);
    expect(await outcomeOf(activate(call))).toBe(code);
    expect(await memoryOf(shared.stack)).toEqual(before);
  }

  test('a receipt that A has signed twice, packages swapped, and a core of the Router’s own; then takes the true one', async () => {
    using seedA = await stolenSecret(shared.stack, 'deriver-a', 'signing-key');
    const { call } = await refreshed();
    await refuses({ ...call, receipt: { ...call.receipt, signatureB: call.receipt.signatureA } }, 'receipt_invalid');
    await refuses({ ...call, receipt: twice(call.receipt, seedA) }, 'receipt_invalid');
    await refuses({ ...call, packageA: call.packageB, packageB: call.packageA }, 'package_rejected');
    await refuses({ ...call, core: { ...call.core, retireOtherLanes: true } }, 'grant_invalid');
    const core = { ...call.core, laneKey: ed25519.getPublicKey(OWN_SECRET) };
    const grant = router.grant(core, ceremonyIdOf(core, { a: call.envelopeA, b: call.envelopeB }));
    await refuses({ ...call, core, grant }, 'authorization_invalid');
    expect(await outcomeOf(activate(call))).toBe('done');
  });
});

test('a call without the Router’s token is refused by every role', async () => {
  const roles: readonly Exclude<Role, 'router'>[] = ['deriver-a', 'deriver-b', 'signing-worker'];
  for (const role of roles) {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
    const response = await fetch(`${shared.stack.roles[role].url}/keys`, init);
    const { error } = (await response.json()) as { error: { code: string } };
    expect([role, response.status, error.code]).toEqual([role, 401, 'grant_invalid']);
  }
});
