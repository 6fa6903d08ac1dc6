import { memoryStorage, Wallet } from '@streaming-yao/client';
import { connectRouterKeepAlive, loadGroup } from '@streaming-yao/client/node';
import type { CeremonyAnswer } from '@streaming-yao/wire';
import { newCredential, newWalletId } from '../stack.ts';
import { withStack } from '../with-stack.ts';
import type { Stamp } from './report.ts';

const ROUNDS = 21;

/** The messages of a registration that took as long as registrations do: the median one of some. */
export function recordRegistration(): Promise<readonly Stamp[]> {
  return withStack({}, async ({ routerUrl, pins }) => {
    const router = connectRouterKeepAlive(routerUrl);
    const group = loadGroup();
    const runs: { readonly ms: number; readonly answer: CeremonyAnswer }[] = [];
    for (let i = 0; i < ROUNDS; i++) {
      const device = { router, pins, walletId: newWalletId(), storage: memoryStorage(), credential: newCredential(), group };
      const wallet = new Wallet({ ...device, timeline: true, secondDerivation: false });
      const before = performance.now();
      const { answer } = await wallet.register();
      runs.push({ ms: performance.now() - before, answer });
    }
    const median = runs.toSorted((left, right) => left.ms - right.ms)[ROUNDS >> 1];
    return median ? stampsOf(median.answer) : [];
  });
}

function stampsOf({ timelines }: CeremonyAnswer): readonly Stamp[] {
  const beginning = Math.min(...timelines.map(({ startedAtMs }) => startedAtMs));
  const stamps = timelines.flatMap(({ role, startedAtMs, passages }) =>
    passages.map((passage) => ({ role, ...passage, atMs: startedAtMs - beginning + passage.afterMs })),
  );
  return stamps.toSorted((left, right) => left.atMs - right.atMs);
}
