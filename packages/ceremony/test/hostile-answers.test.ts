import { x25519 } from '@noble/curves/ed25519.js';
import { type ErrorCode, type Json, YaoError } from '@streaming-yao/core';
import {
  type Actor,
  type Exchange,
  exportKey,
  HANDLERS,
  openScene,
  pairedBeginning,
  type RoleHandlers,
  register,
} from '@streaming-yao/simulator';
import {
  ActivationCall,
  CeremonyAnswer,
  DeploymentFacts,
  HpkeKey,
  protectedHeader,
  receiptHeader,
  type SignedReceipt,
} from '@streaming-yao/wire';
import { describe, expect, test } from 'vitest';
import { type Effect, type Program, sign } from '../src/program.ts';

/** The Router's programs with one answer changed. */
function answering(path: string, change: (answer: Json) => Json | Program<Json>): { router: RoleHandlers } {
  const honest = HANDLERS.router[path];
  if (!honest) throw new Error(`the Router has no ${path}`);
  const program: typeof honest.program = function* (s, body) {
    const changed = change(yield* honest.program(s, body));
    return typeof changed === 'object' && changed !== null && 'next' in changed
      ? yield* changed as Program<Json>
      : (changed as Json);
  };
  return { router: { ...HANDLERS.router, [path]: { ...honest, program } } };
}

async function codeOf(run: Promise<unknown>): Promise<string> {
  try {
    await run;
    return 'accepted';
  } catch (error) {
    if (error instanceof YaoError) return error.code;
    throw error;
  }
}

const twiceByA = ({ payload, signatureA }: SignedReceipt): SignedReceipt => ({ payload, signatureA, signatureB: signatureA });

describe('the client refuses', () => {
  test.each(['deriver-a', 'deriver-b', 'signing-worker'] as const)('an HPKE key of the Router’s own as %s’s', async (role) => {
    const forged = function* (answer: Json): Program<Json> {
      const facts = DeploymentFacts.fromJson(answer);
      const keys = [];
      for (const key of facts.keys) {
        const statement = { ...key.statement, publicKey: x25519.getPublicKey(new Uint8Array(32).fill(7)) };
        const signature = yield* sign(HpkeKey.encode(statement));
        keys.push(key.statement.role === role ? { statement, signature } : key);
      }
      return DeploymentFacts.toJson({ ...facts, keys });
    };
    const asked: string[] = [];
    const exchanged = ({ path }: Exchange): void => void asked.push(path);
    const handlers = answering('/.well-known/streaming-yao', forged);
    const { run, surroundings, wallet } = openScene('own HPKE keys', { handlers, observers: [{ exchanged }] });
    expect(await codeOf(run('register', register(surroundings, wallet)))).toBe('key_statement_invalid');
    expect(asked).not.toContain('/v1/ceremonies');
  });

  const cases: readonly (readonly [string, ErrorCode, (answer: CeremonyAnswer, earlier: CeremonyAnswer) => CeremonyAnswer])[] = [
    ['a receipt signed twice by A', 'receipt_invalid', (answer) => ({ ...answer, receipt: twiceByA(answer.receipt) })],
    ['the receipt of another ceremony', 'receipt_invalid', (answer, { receipt }) => ({ ...answer, receipt })],
    ['a package of another ceremony', 'package_rejected', (answer, { packageA }) => ({ ...answer, packageA })],
    ['B’s package in A’s place', 'package_rejected', (answer) => ({ ...answer, packageA: answer.packageB })],
  ];
  test.each(cases)('%s', async (name, code, change) => {
    let earlier: CeremonyAnswer | undefined;
    const handlers = answering('/v1/ceremonies', (json) => {
      const answer = CeremonyAnswer.fromJson(json);
      const changed = earlier ? change(answer, earlier) : answer;
      earlier = answer;
      return CeremonyAnswer.toJson(changed);
    });
    const { run, surroundings, wallet } = openScene(name, { beginning: await pairedBeginning(), handlers });
    await run('register', register(surroundings, wallet));
    expect(await codeOf(run('export', exportKey(surroundings, wallet)))).toBe(code);
  });

  test('an activation of another lane, and none', async () => {
    for (const [n, activation] of [undefined, null].entries()) {
      const handlers = answering('/v1/ceremonies', (json) => {
        const answer = CeremonyAnswer.fromJson(json);
        const other = answer.activation?.replace(/.{8}$/, 'AAAAAAAA') ?? null;
        return CeremonyAnswer.toJson({ ...answer, activation: activation === null ? null : other });
      });
      const { run, surroundings, wallet } = openScene(`activation ${n}`, { beginning: await pairedBeginning(), handlers });
      expect(await codeOf(run('register', register(surroundings, wallet)))).toBe('receipt_invalid');
    }
  });
});

describe('the SigningWorker refuses, and activates nothing:', () => {
  const cases: readonly (readonly [string, ErrorCode, (call: ActivationCall) => ActivationCall])[] = [
    ['a receipt signed twice by A', 'receipt_invalid', (call) => ({ ...call, receipt: twiceByA(call.receipt) })],
    ['B’s package in A’s place', 'package_rejected', (call) => ({ ...call, packageA: call.packageB })],
    [
      'another core than the authorized one',
      'grant_invalid',
      (call) => ({ ...call, core: { ...call.core, retireOtherLanes: true } }),
    ],
    [
      'a request that the requester did not sign',
      'authorization_invalid',
      (call) => ({ ...call, authorization: { ...call.authorization, requesterSignature: new Uint8Array(64) } }),
    ],
  ];
  test.each(cases)('%s', async (name, code, change) => {
    const refused: unknown[] = [];
    const exchanged = ({ role, path, answer }: Exchange): void => void (path === '/activate' && refused.push([role, answer]));
    const amend = ({ role }: Actor, effect: Effect): Effect =>
      role === 'router' && effect.kind === 'call' && effect.path === '/activate'
        ? { ...effect, body: ActivationCall.toJson(change(ActivationCall.fromJson(effect.body))) }
        : effect;
    const { run, surroundings, wallet, world } = openScene(name, {
      beginning: await pairedBeginning(),
      amend,
      observers: [{ exchanged }],
    });
    expect(await codeOf(run('register', register(surroundings, wallet)))).toBe(code);
    expect(refused).toEqual([['signing-worker', undefined]]);
    const records = [...(world.objects.of('signing-worker', `wallet-${wallet.walletId}`).store?.entries() ?? [])];
    expect(records.map(({ table }) => table)).toEqual([]);
  });

  test('a receipt whose two entries both carry A’s header', async () => {
    const kidA = protectedHeader(receiptHeader('deriver-a'));
    const amend = ({ role }: Actor, effect: Effect): Effect => {
      if (role !== 'router' || effect.kind !== 'call' || effect.path !== '/activate') return effect;
      const body = structuredClone(effect.body) as { receipt: { signatures: { protected: string; signature: string }[] } };
      body.receipt.signatures = [body.receipt.signatures[0], body.receipt.signatures[0]].flatMap((entry) => entry ?? []);
      expect(body.receipt.signatures.map((entry) => entry.protected)).toEqual([kidA, kidA]);
      return { ...effect, body };
    };
    const { run, surroundings, wallet } = openScene('both by A', { beginning: await pairedBeginning(), amend });
    expect(await codeOf(run('register', register(surroundings, wallet)))).toBe('receipt_invalid');
  });
});
