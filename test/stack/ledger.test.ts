import { readFileSync } from 'node:fs';
import { CeremonyAnswer, CeremonyRequest, type Operation, type Traffic } from '@streaming-yao/wire';
import { describe, expect, test } from 'vitest';
import { authorizedRequest, registerKey } from './ceremonies.ts';
import { TestDevice } from './device.ts';
import { type Ledger, ledgerOf, type Names } from './ledger.ts';
import { sharedStack } from './shared-stack.ts';
import { StolenRouter } from './stolen-router.ts';

const protocol = readFileSync(new URL('../../docs/protocol.md', import.meta.url), 'utf8');
const [, documented = ''] = /<!-- ledger -->\n([\s\S]*?)<!-- end of ledger -->/.exec(protocol) ?? [];

const ONE_LETTER: Names = { deployment: 'd', walletId: 'w', deriverAKeyId: 'a', deriverBKeyId: 'b', signingWorkerKeyId: 's' };
const NAME_BYTES = Object.values(ONE_LETTER).join('').length;
const OPERATIONS = ['register', 'refresh', 'export'] as const;

const figure = (value: number): string => value.toLocaleString('en-US');

/** The tables of the document, with every name in the core taken out of the receipt. */
function tables(): string {
  const ledgers = OPERATIONS.map((operation) => ledgerOf(operation, ONE_LETTER));
  const cell = ({ rows }: Ledger, i: number): string => {
    const row = rows[i];
    if (!row || row.frames === 0) return '–';
    const free = row.kind === 'receipt' ? NAME_BYTES : 0;
    const count = row.frames > 1 ? `${row.frames} frames, ` : '';
    return `${count}${figure(row.bytes - free)}${free > 0 ? ' + n' : ''}`;
  };
  const lines = (ledgers[0]?.rows ?? []).map(({ kind, direction }, i) => {
    const arrow = direction === 'aToB' ? 'A→B' : 'B→A';
    return `| \`${kind}\` | ${arrow} | ${ledgers.map((ledger) => cell(ledger, i)).join(' | ')} |`;
  });
  const totals = ledgers.map(({ total }) => [figure(total.aToB), `${figure(total.bToA - NAME_BYTES)} + n`] as const);
  return [
    '| frame | dir | `register` | `recover`, `refresh`, `link` | `export` |',
    '|---|---|---|---|---|',
    ...lines,
    `| all | A→B | ${totals.map(([aToB]) => aToB).join(' | ')} |`,
    `| all | B→A | ${totals.map(([, bToA]) => bToA).join(' | ')} |`,
    '',
  ].join('\n');
}

test('the ledger of docs/protocol.md is what engine and wire encode', () => {
  expect(documented).toBe(tables());
});

test('recover and link cost what refresh costs', () => {
  const refresh = ledgerOf('refresh', ONE_LETTER);
  for (const operation of ['recover', 'link'] as const satisfies readonly Operation[])
    expect(ledgerOf(operation, ONE_LETTER)).toEqual(refresh);
});

test('every further byte in a name is one further byte from B to A', () => {
  const longer = ledgerOf('export', { ...ONE_LETTER, walletId: 'w'.repeat(64) });
  const { total } = ledgerOf('export', ONE_LETTER);
  expect(longer.total).toEqual({ aToB: total.aToB, bToA: total.bToA + 63 });
});

describe('a real ceremony counts to the byte what the ledger says', () => {
  const shared = sharedStack();

  async function counted(request: CeremonyRequest): Promise<readonly Traffic[]> {
    const { a, b } = await (await StolenRouter.of(shared.stack)).relayToBoth({ request });
    return [a.traffic, b.traffic];
  }

  test.each(OPERATIONS)('%s: at Deriver A and at Deriver B', async (operation) => {
    const key = await registerKey(new TestDevice(shared.stack));
    const changes = operation === 'register' ? { keyIndex: 1, authorityUpdates: [] } : {};
    const request = await authorizedRequest(key, operation, changes);
    const { total, rows } = ledgerOf(operation, request.core);
    // B answers without waiting for A's signature.
    const cosignature = rows.find(({ kind }) => kind === 'cosignature')?.bytes ?? 0;
    expect(await counted(request)).toEqual([total, { ...total, aToB: total.aToB - cosignature }]);
  });

  test.each(['recover', 'link'] as const)('%s: as the Router tells the client', async (operation) => {
    const key = await registerKey(new TestDevice(shared.stack));
    const request = await authorizedRequest(key, operation);
    const answer = CeremonyAnswer.fromJson(await key.device.router('/v1/ceremonies', CeremonyRequest.toJson(request)));
    expect(answer.traffic).toEqual(ledgerOf(operation, request.core).total);
  });
});
