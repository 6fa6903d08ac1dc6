import { setTimeout as wait } from 'node:timers/promises';
import { YaoError } from '@streaming-yao/core';
import { ROLES, type Role } from '@streaming-yao/wire';
import type { Stack } from '../../tools/stack.ts';
import { exact, type Figure, type Progress } from '../figure.ts';
import { CEREMONIES_PER_LIFE, type LifeOptions, live, type Owned, stillSigns } from './life.ts';
import { Tally } from './tally.ts';
import { type SettledMemory, settledMemoryOf, storedBytes } from './watch.ts';

export interface LoadOptions {
  readonly ceremonies: number;
  readonly signatures: number;
  /** How many clients are there at once, one number for each part of the load. */
  readonly clients: readonly number[];
  /** Ends one role after another as often as this in a last part; never where it is 0. */
  readonly killEveryMs: number;
}

export interface LoadResult {
  readonly figures: readonly Figure[];
  /** How often what failed, by its code; while roles are killed apart from while they are not. */
  readonly failures: Readonly<Record<string, number>>;
  readonly failuresUnderKills: Readonly<Record<string, number>>;
  readonly kills: number;
  readonly walletsLost: number;
  /** Of each role after the first part, and after the last one without kills. */
  readonly memory: {
    readonly before: Readonly<Record<string, SettledMemory>>;
    readonly after: Readonly<Record<string, SettledMemory>>;
  };
  readonly storedBytesPerWallet: number;
}

const PATIENCE_MS = 60_000;

/** Lives `lives` lives, `clients` at a time. */
async function inParallel<T>(lives: number, clients: number, act: () => Promise<T>): Promise<readonly T[]> {
  const results: T[] = [];
  let begun = 0;
  const one = async (): Promise<void> => {
    while (begun++ < lives) results.push(await act());
  };
  await Promise.all(Array.from({ length: Math.min(clients, lives) }, one));
  return results;
}

/** Loads a stack, whose Workers can be looked into, with clients that come and go. @throws Error when a signature or a nonce is wrong */
export async function load(stack: Stack, options: LoadOptions, progress: Progress): Promise<LoadResult> {
  const { clients, killEveryMs } = options;
  const parts = clients.length + (killEveryMs > 0 ? 1 : 0);
  const lives = Math.ceil(options.ceremonies / CEREMONIES_PER_LIFE / parts);
  const signaturesEach = Math.ceil(options.signatures / (lives * parts * CEREMONIES_PER_LIFE));
  const figures: Figure[] = [];
  const failures: Record<string, number> = {};
  let before: Readonly<Record<string, SettledMemory>> | undefined;
  let wallets = 0;
  for (const count of clients) {
    progress(`load: ${lives} wallets, ${count} clients at once`);
    const tally = new Tally();
    const given = { stack, tally, signaturesEach, patienceMs: 0 };
    const started = performance.now();
    await inParallel(lives, count, () => unlessFailed(live(given)));
    const seconds = (performance.now() - started) / 1000;
    wallets += lives;
    const prefix = `load_${count}_clients`;
    const ceremonies = CEREMONIES_PER_LIFE * lives;
    figures.push(...tally.figures(prefix));
    figures.push(exact(`${prefix}_ceremonies_per_s`, '1/s', ceremonies / seconds, ceremonies));
    figures.push(exact(`${prefix}_signatures_per_s`, '1/s', tally.count('sign') / seconds, tally.count('sign')));
    add(failures, tally);
    before ??= await settledMemoryOf(stack);
  }
  const after = await settledMemoryOf(stack);
  const killed = killEveryMs > 0 ? await underKills(stack, { lives, signaturesEach, killEveryMs, clients }, progress) : undefined;
  return {
    figures,
    failures,
    failuresUnderKills: killed?.failures ?? {},
    kills: killed?.kills ?? 0,
    walletsLost: killed?.lost ?? 0,
    memory: { before: before ?? after, after },
    storedBytesPerWallet: Math.round((await storedBytes(stack.folder)) / (wallets + (killed ? lives : 0))),
  };
}

/** What failed is in the tally, by its code; that life is over. */
async function unlessFailed(life: Promise<Owned>): Promise<Owned | undefined> {
  return life.catch((error: unknown) => {
    if (error instanceof YaoError) return undefined;
    throw error;
  });
}

function add(failures: Record<string, number>, tally: Tally): void {
  for (const [code, count] of tally.failures) failures[code] = (failures[code] ?? 0) + count;
}

/** The same load while one role after another is ended without notice; afterwards every wallet has to sign. */
async function underKills(
  stack: Stack,
  options: Pick<LoadOptions, 'killEveryMs' | 'clients'> & { readonly lives: number; readonly signaturesEach: number },
  progress: Progress,
) {
  const { lives, signaturesEach, killEveryMs, clients } = options;
  const count = Math.max(...clients);
  progress(`load: ${lives} wallets, ${count} clients at once, a role killed every ${killEveryMs} ms`);
  const tally = new Tally();
  const given: LifeOptions = { stack, tally, signaturesEach, patienceMs: PATIENCE_MS };
  let living = true;
  let kills = 0;
  const killing = (async () => {
    while (living) {
      await stack.restart(ROLES[kills++ % ROLES.length] as Role);
      await wait(killEveryMs);
    }
  })();
  const led = await inParallel(lives, count, () => unlessFailed(live(given))).finally(() => {
    living = false;
  });
  await killing;
  const failures: Record<string, number> = {};
  add(failures, tally);
  const owned = led.filter((life) => life !== undefined);
  return { kills, failures, lost: lives - owned.length + (await lostOf(given, owned)) };
}

async function lostOf(options: LifeOptions, owned: readonly Owned[]): Promise<number> {
  let lost = 0;
  for (const wallet of owned) {
    await stillSigns(options, wallet).catch(() => {
      lost++;
    });
  }
  return lost;
}
