import type { Effect, Transaction } from '@streaming-yao/ceremony/program';
import { SecretBytes, toHex } from '@streaming-yao/core';
import { inputInfo, SignAnswer } from '@streaming-yao/wire';
import { describe, expect, test } from 'vitest';
import type { Actor, ActorRole } from '../src/actor.ts';
import { pairedBeginning } from '../src/beginning.ts';
import { derivedSecrets } from '../src/derivation.ts';
import { HANDLERS, type RoleHandlers } from '../src/handlers.ts';
import { type SimulateOptions, simulate } from '../src/simulate.ts';

type Plant = Pick<SimulateOptions, 'amend' | 'handlers' | 'errands'>;

/** What a few seeds find under a planted bug, until one of them finds what is looked for. */
async function violated(invariant: string, plant: Plant): Promise<readonly (string | undefined)[]> {
  const found: (string | undefined)[] = [];
  for (let seed = 1; seed <= 4 && !found.includes(invariant); seed++) {
    const { violation } = await simulate({ seed, errands: ['refresh', 'export', 'sign', 'sign'], kinds: [], ...plant });
    found.push(violation?.invariant);
  }
  return found;
}

/** A role whose store treats some writes in its own way. */
function storing(role: ActorRole, twist: (tx: Transaction) => Partial<Transaction>): NonNullable<Plant['amend']> {
  return (actor, effect) => {
    if (actor.role !== role || effect.kind !== 'transact') return effect;
    return {
      kind: 'transact',
      decide: (tx) => {
        const honest: Transaction = {
          get: (table, key) => tx.get(table, key),
          put: (table, key, value, deleteAtMs) => tx.put(table, key, value, deleteAtMs),
          delete: (table, key) => tx.delete(table, key),
          list: (table, prefix, limit) => tx.list(table, prefix, limit),
        };
        return effect.decide({ ...honest, ...twist(honest) });
      },
    };
  };
}

/** A role's program in another one's hands. */
function handling(
  role: 'router' | 'deriver-a' | 'deriver-b' | 'signing-worker',
  path: string,
  twist: (honest: RoleHandlers[string]) => RoleHandlers[string]['program'],
): Plant {
  const honest = HANDLERS[role][path];
  if (!honest) throw new Error(`${role} has no ${path}`);
  return { handlers: { [role]: { ...HANDLERS[role], [path]: { ...honest, program: twist(honest) } } } };
}

const plants: readonly (readonly [invariant: string, bug: string, plant: () => Plant | Promise<Plant>])[] = [
  [
    'tickets',
    'A forgets that it has used a ticket',
    () => ({
      amend: storing('deriver-a', (tx) => ({
        put: (table, ...rest) => (table === 'pairing' ? undefined : tx.put(table, ...rest)),
      })),
    }),
  ],
  [
    'nonces',
    'the SigningWorker’s random source repeats itself',
    () =>
      handling(
        'signing-worker',
        '/sign/prepare',
        (honest) => (s, body) => honest.program({ ...s, random: (length) => new Uint8Array(length).fill(1) }, body),
      ),
  ],
  [
    'nonces',
    'the SigningWorker gives two shares under one pair of nonces',
    () => ({
      errands: ['sign without a presign', 'sign without a presign'],
      ...handling(
        'signing-worker',
        '/sign/share',
        (honest) => (s, body) => honest.program({ ...s, random: (length) => new Uint8Array(length).fill(1) }, body),
      ),
    }),
  ],
  [
    'nonces',
    'the SigningWorker gives two signatures under one R',
    () => {
      let first: Uint8Array | undefined;
      return handling(
        'signing-worker',
        '/sign',
        (honest) =>
          function* (s, body) {
            const answer = SignAnswer.fromJson(yield* honest.program(s, body));
            first ??= answer.signature.slice(0, 32);
            const signature = Uint8Array.of(...first, ...answer.signature.slice(32));
            return SignAnswer.toJson({ ...answer, signature });
          },
      );
    },
  ],
  [
    'receipts',
    'B keeps another receipt than A',
    () =>
      handling(
        'deriver-b',
        '/ceremony',
        (honest) =>
          function* (s, body) {
            const answer = structuredClone(yield* honest.program(s, body)) as {
              receipt: string;
            };
            answer.receipt = `${answer.receipt.slice(0, -8)}AAAAAAAA`;
            return answer;
          },
      ),
  ],
  [
    'deadlines',
    'A sends nothing and both wait without a deadline',
    () => ({
      amend: ({ role }: Actor, effect: Effect): Effect => {
        if (effect.kind === 'receive' || effect.kind === 'accept') return { ...effect, deadlineMs: effect.deadlineMs + 600_000 };
        const silent = role === 'deriver-a' && effect.kind === 'send' && effect.frame[1] !== 0;
        return silent ? { kind: 'transact', decide: () => undefined } : effect;
      },
    }),
  ],
  [
    'authority',
    'A writes back the credentials that it knew before',
    () => {
      let first: Uint8Array | undefined;
      return {
        errands: ['change credentials', 'refresh'],
        amend: storing('deriver-a', (tx) => ({
          put: (table, key, ...rest) => {
            first ??= tx.get('authority', key.slice(0, key.indexOf('/')));
            if (table === 'key' && first) tx.put('authority', key.slice(0, key.indexOf('/')), first);
            tx.put(table, key, ...rest);
          },
        })),
      };
    },
  ],
  [
    'deletion',
    'the Router keeps ceremonies for ever',
    () => ({
      amend: storing('router', (tx) => ({ put: (table, key, value) => tx.put(table, key, value) })),
    }),
  ],
  [
    'epochs',
    'a device stores a damaged share: no epoch signs',
    () => ({
      amend: ({ role }: Actor, effect: Effect): Effect => {
        if (role !== 'client' || effect.kind !== 'keep' || !effect.secret || !effect.name.startsWith('lane/')) return effect;
        const secret = effect.secret.map((bytes) => {
          const damaged = bytes.slice();
          const at = damaged.length - 64;
          damaged[at] = (damaged[at] as number) ^ 1;
          return damaged;
        });
        return { ...effect, secret };
      },
    }),
  ],
  [
    'epochs',
    'the SigningWorker promotes without letting the old epoch go: both sign',
    () => {
      const store = storing('signing-worker', (tx) => ({
        put: (table, key, ...rest) => (table === 'lane' && tx.get('lane', key) ? undefined : tx.put(table, key, ...rest)),
        delete: (table, key) => (table === 'staged' ? undefined : tx.delete(table, key)),
      }));
      return {
        amend: (actor, effect) => (effect.kind === 'vault-erase' ? { ...effect, tag: 'nothing' } : store(actor, effect)),
      };
    },
  ],
  [
    'secrets',
    'the client sends B its contribution without a mask',
    async () => {
      const { deployment, wallet } = await pairedBeginning();
      const { yc } = derivedSecrets(deployment, wallet.device.root, wallet.walletId);
      return {
        amend: ({ role }: Actor, effect: Effect): Effect =>
          role === 'client' && effect.kind === 'seal' && toHex(effect.info) === toHex(inputInfo('deriver-b'))
            ? { ...effect, plaintext: SecretBytes.copy(yc) }
            : effect,
      };
    },
  ],
  [
    'progress',
    'the SigningWorker never signs',
    () => handling('signing-worker', '/sign', (honest) => (s, body) => honest.program({ ...s, now: () => 2 ** 45 }, body)),
  ],
  [
    'errors',
    'a program fails in a way of its own',
    () =>
      handling(
        'deriver-b',
        '/ceremony',
        (honest) =>
          function* (s, body) {
            yield* honest.program(s, body);
            throw new TypeError('undefined is not a function');
          },
      ),
  ],
  [
    'errors',
    'a program uses a secret after its end',
    () =>
      handling(
        'deriver-b',
        '/ceremony',
        (honest) =>
          function* (s, body) {
            const ended = SecretBytes.own(new Uint8Array(1));
            ended.wipe();
            s.background(
              (function* () {
                yield* [];
                ended.use(() => undefined);
              })(),
            );
            return yield* honest.program(s, body);
          },
      ),
  ],
];

describe('a planted bug is found where', () => {
  test.each(plants)('%s: %s', async (invariant, _, plant) => {
    expect(await violated(invariant, await plant())).toContain(invariant);
  });
});
