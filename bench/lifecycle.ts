import { type CeremonyAnswer, Pins } from '@streaming-yao/wire';
import type { Stack } from '../tools/stack.ts';
import { alone } from './alone.ts';
import { costUsdPerMillion } from './cost/model.ts';
import { readPrices } from './cost/prices.ts';
import { exact, type Figure, type Progress, summarize, timed } from './figure.ts';
import { cpuOf, device, newPhraseCredential, newWalletId, ownCpuMs, pairDerivers } from './stack.ts';
import { withStack } from './with-stack.ts';

const ROUNDS = 100;
/** A server's compiler takes that long: the hundredth refresh of five new processes takes a fifth longer than the five hundredth. */
const WARM_UP = 400;

/** Whole ceremonies on the local stack: four workerd processes, real storage, one client over keep-alive HTTP. */
export function lifecycleFigures(progress: Progress): Promise<readonly Figure[]> {
  return withStack({}, async (stack) => {
    await pairDerivers(stack);
    progress('lifecycle: first registration of new processes');
    const [first] = await timed(1, 0, () => device(stack, newWalletId()).register());
    return [
      exact('first_register_ms', 'ms', first ?? 0),
      ...(await registrations(stack, progress)),
      ...(await refreshes(stack, progress)),
      ...(await recoveries(stack, progress)),
      ...(await exports(stack, progress)),
      ...(await clientMemory(stack, progress)),
    ];
  });
}

const bytesOf = ({ traffic }: CeremonyAnswer): number => traffic.aToB + traffic.bToA;

async function registrations(stack: Stack, progress: Progress): Promise<readonly Figure[]> {
  progress(`lifecycle: ${ROUNDS} registrations`);
  let answer: CeremonyAnswer | undefined;
  const register = async () => {
    ({ answer } = await device(stack, newWalletId()).register());
  };
  await timed(0, WARM_UP, register);
  let samples: readonly number[] = [];
  let own = 0;
  const { ms } = await cpuOf(stack, async () => {
    own = await ownCpuMs(async () => {
      samples = await timed(ROUNDS, 0, register);
    });
  });
  return [
    summarize('register_ms_p50', 'ms', samples),
    exact('client_cpu_ms_register', 'ms', own / ROUNDS, ROUNDS),
    ...(answer ? [exact('ab_bytes_activation', 'bytes', bytesOf(answer))] : []),
    ...Object.entries(ms).map(([role, used]) => exact(`cpu_ms_register_${role}`, 'ms', used / ROUNDS, ROUNDS)),
  ];
}

async function refreshes(stack: Stack, progress: Progress): Promise<readonly Figure[]> {
  progress(`lifecycle: ${ROUNDS} refreshes`);
  const wallet = device(stack, newWalletId());
  await wallet.register();
  let answer: CeremonyAnswer | undefined;
  const refresh = async () => {
    ({ answer } = await wallet.refresh());
  };
  await timed(0, WARM_UP, refresh);
  const { result, ms } = await cpuOf(stack, () => timed(ROUNDS, 0, refresh));
  const both = ((ms['deriver-a'] ?? 0) + (ms['deriver-b'] ?? 0)) / ROUNDS;
  return [
    summarize('refresh_ms_p50', 'ms', result),
    exact('cpu_ms_activation', 'ms', both, ROUNDS),
    exact('cost_usd_per_million', 'USD', costUsdPerMillion(both, await readPrices()), ROUNDS),
    ...(answer ? [exact('ab_bytes_refresh', 'bytes', bytesOf(answer))] : []),
  ];
}

async function recoveries(stack: Stack, progress: Progress): Promise<readonly Figure[]> {
  progress(`lifecycle: ${ROUNDS} recoveries`);
  const walletId = newWalletId();
  const credential = newPhraseCredential();
  await device(stack, walletId, { credential }).register();
  return [
    summarize('recover_ms_p50', 'ms', await timed(ROUNDS, WARM_UP, () => device(stack, walletId, { credential }).recover())),
  ];
}

async function exports(stack: Stack, progress: Progress): Promise<readonly Figure[]> {
  progress(`lifecycle: ${ROUNDS} exports`);
  const wallet = device(stack, newWalletId());
  await wallet.register();
  let answer: CeremonyAnswer | undefined;
  const samples = await timed(ROUNDS, WARM_UP, async () => {
    ({ answer } = await wallet.exportKey({ format: 'seed-hex' }));
  });
  return [summarize('export_ms_p50', 'ms', samples), ...(answer ? [exact('ab_bytes_export', 'bytes', bytesOf(answer))] : [])];
}

/** A client in a process of its own: registers, signs, refreshes, exports. */
async function clientMemory(stack: Stack, progress: Progress): Promise<readonly Figure[]> {
  progress('lifecycle: memory of a client');
  const args = [stack.routerUrl, JSON.stringify(Pins.toJson(stack.pins))];
  const { peak, kept } = (await alone('client-memory.ts', args)) as { readonly peak: number; readonly kept: number };
  return [exact('client_memory_peak_mb', 'MB', peak), exact('client_memory_kept_mb', 'MB', kept)];
}
