import { SecretBytes } from '@streaming-yao/core';
import {
  answerPairing,
  createKernel,
  EvaluatingSession,
  type EvaluatorPairing,
  finishPairing,
  type GarblerPairing,
  GarblingSession,
  startPairing,
  TABLE_BYTES,
} from '@streaming-yao/engine';
import { loadGroup } from '@streaming-yao/group/node';
import { alone, bytesInUse } from './alone.ts';
import { evaluatorOf, FRAME_BYTES, freshSecrets, garblerOf, kernel, kernelWasm, random } from './engine-parties.ts';
import { exact, type Figure, print } from './figure.ts';

const SETTLING_RUNS = 5;
const RUNS = 50;
const PARTIES = 40;

const megabytes = (bytes: number): number => bytes / 2 ** 20;

/** What a party and so many frames keep while at work, averaged over many at once. */
function partyBytes(frames: number, make: (frame: Uint8Array) => { wipe(): void }): number {
  const before = bytesInUse();
  const held = Array.from({ length: PARTIES }, () => {
    const waiting = Array.from({ length: frames }, () => new Uint8Array(FRAME_BYTES));
    return { waiting, party: make(waiting[0] as Uint8Array) };
  });
  const bytes = (bytesInUse() - before) / PARTIES;
  for (const { party } of held) party.wipe();
  return bytes;
}

/** Memory of one ceremony in the party that needs more. */
function ceremonyBytes(): number {
  const secrets = freshSecrets();
  const compiled = () => createKernel(new WebAssembly.Module(kernelWasm));
  const [garblers, evaluators] = [compiled(), compiled()];
  const garbler = partyBytes(1, (frame) => {
    const party = garblerOf(secrets, garblers);
    party.nextTables(frame);
    return party;
  });
  // All tables may have come before the evaluator has its labels.
  const evaluator = partyBytes(Math.ceil(TABLE_BYTES.activation / FRAME_BYTES), (frame) => {
    const party = evaluatorOf(secrets, evaluators);
    party.acceptTables(frame);
    return party;
  });
  return Math.max(garbler, evaluator);
}

function pair(): { readonly garbler: GarblerPairing; readonly evaluator: EvaluatorPairing } {
  const [group, context] = [loadGroup(), random(32)];
  const start = startPairing(group, random, context);
  const { pairing, reply } = answerPairing(group, random, context, start.message);
  return { garbler: finishPairing(group, start.pending, context, reply), evaluator: pairing };
}

/** One whole session: oblivious transfer, tables, shares. */
function session({ garbler, evaluator }: ReturnType<typeof pair>, counter: number, frame: Uint8Array): void {
  const context = { ceremonyId: random(32), circuit: 'activation', profile: 'bench', garblerNonce: random(32) } as const;
  const [evaluatorNonce, common] = [random(32), { kernel, context, random }];
  const [garblerInput, evaluatorInput] = [SecretBytes.own(random(32)), SecretBytes.own(random(32))];
  const garbling = GarblingSession.open({ ...common, ticket: garbler.takeTicket(counter), input: garblerInput });
  const ticket = evaluator.takeTicket(counter);
  const evaluating = EvaluatingSession.open({ ...common, ticket, evaluatorNonce, input: evaluatorInput });
  evaluating.acceptPads(garbling.acceptChoices(evaluatorNonce, evaluating.choices));
  for (let length = garbling.nextTables(frame); length > 0; length = garbling.nextTables(frame)) {
    evaluating.acceptTables(frame.subarray(0, length));
  }
  const { ciphertexts, share } = garbling.projectOutputs();
  evaluating.outputShare(ciphertexts).wipe();
  for (const spent of [garbling, evaluating, share, garblerInput, evaluatorInput]) spent.wipe();
}

/** What the last 45 of 50 sessions leave behind. */
function growth(): { readonly used: number; readonly resident: number } {
  const pairings = pair();
  const frame = new Uint8Array(FRAME_BYTES);
  const state = () => ({ used: bytesInUse(), resident: process.memoryUsage.rss() });
  let settled = state();
  for (let run = 0; run < RUNS; run++) {
    if (run === SETTLING_RUNS) settled = state();
    session(pairings, run, frame);
  }
  const end = state();
  return { used: end.used - settled.used, resident: end.resident - settled.resident };
}

/** Memory of one ceremony, and how it grows over fifty, in a process of its own. */
export default async function benchMemory(): Promise<readonly Figure[]> {
  const measured = (await alone('engine-memory.ts', ['measure'])) as Record<'ceremony' | 'used' | 'resident', number>;
  return [
    exact('ceremony_memory_mb', 'MB', megabytes(measured.ceremony)),
    exact('engine_memory_growth_mb', 'MB', megabytes(measured.used), RUNS),
    exact('engine_memory_growth_rss_mb', 'MB', megabytes(measured.resident), RUNS),
  ];
}

if (import.meta.main) {
  if (process.argv[2] === 'measure') console.log(JSON.stringify({ ceremony: ceremonyBytes(), ...growth() }));
  else print(await benchMemory());
}
