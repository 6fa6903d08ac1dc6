import { generateKeyPairSync, sign as nodeSign } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { ed25519_FROST } from '@noble/curves/ed25519.js';
import { memoryStorage, type Wallet } from '@streaming-yao/client';
import { connectRouterKeepAlive } from '@streaming-yao/client/node';
import type { Stack } from '../tools/stack.ts';
import { exact, type Figure, type Progress, summarize, timed } from './figure.ts';
import { cpuOf, device, newCredential, newWalletId, ownCpuMs, random } from './stack.ts';
import { withStack } from './with-stack.ts';

const HITS = 2_000;
/** See the warm-up of ceremonies. */
const HITS_BEFORE = 2_000;
const MISSES = 200;
const MISSES_BEFORE = 200;
const IDLE_ROUNDS = 10;
/** Local workerd puts an object away that nobody has asked for 10 s. */
const IDLE_MS = 12_000;

/** Signatures on the local stack over keep-alive `node:http`, with yardsticks from the same run. */
export function signingFigures(progress: Progress): Promise<readonly Figure[]> {
  return withStack({}, async (stack) => [
    ...(await hits(stack, progress)),
    ...(await misses(stack, progress)),
    ...(await afterIdle(stack, progress)),
    ...(await throughput(stack, progress)),
    ...(await yardsticks(progress)),
  ]);
}

const message = random(200);

async function registered(stack: Stack): Promise<Wallet> {
  return (await reopenable(stack))();
}

/** A registered wallet's app, opened anew each time on one connection: it holds its lane and no commitments yet. */
async function reopenable(stack: Stack): Promise<() => Wallet> {
  const [walletId, credential, storage] = [newWalletId(), newCredential(), memoryStorage()];
  const router = connectRouterKeepAlive(stack.routerUrl);
  const open = () => device(stack, walletId, { credential, storage, router });
  await open().register();
  return open;
}

async function hits(stack: Stack, progress: Progress): Promise<readonly Figure[]> {
  progress(`signing: ${HITS} pool hits`);
  const wallet = await registered(stack);
  await wallet.prefetch();
  await timed(0, HITS_BEFORE, () => wallet.sign(message));
  const samples: number[] = [];
  let own = 0;
  const { ms } = await cpuOf(stack, async () => {
    own = await ownCpuMs(async () => {
      for (let i = 0; i < HITS; i++) {
        const before = performance.now();
        const { poolHit } = await wallet.sign(message);
        if (poolHit) samples.push(performance.now() - before);
      }
    });
  });
  // Who signs without a pause may once be faster than a refill.
  if (samples.length < 0.99 * HITS) throw new Error('the pool ran dry in a measurement of hits');
  return [
    summarize('sign_hit_ms_p50', 'ms', samples),
    exact('client_cpu_ms_sign', 'ms', own / HITS, HITS),
    exact('cpu_ms_sign_router', 'ms', (ms.router ?? 0) / HITS, HITS),
    exact('cpu_ms_sign_signing-worker', 'ms', (ms['signing-worker'] ?? 0) / HITS, HITS),
  ];
}

async function misses(stack: Stack, progress: Progress): Promise<readonly Figure[]> {
  progress(`signing: ${MISSES} pool misses`);
  const open = await reopenable(stack);
  const samples: number[] = [];
  for (let round = -MISSES_BEFORE; round < MISSES; round++) {
    const wallet = open();
    await wallet.publicKey();
    const [ms = 0] = await timed(1, 0, async () => {
      if ((await wallet.sign(message)).poolHit) throw new Error('a hit in a measurement of misses');
    });
    if (round >= 0) samples.push(ms);
    // What is fetched behind a miss would be measured with the next one.
    await wallet.prefetch();
  }
  return [summarize('sign_miss_ms_p50', 'ms', samples)];
}

async function afterIdle(stack: Stack, progress: Progress): Promise<readonly Figure[]> {
  progress(`signing: after ${IDLE_MS / 1000} s idle, ${IDLE_ROUNDS} times`);
  const wallet = await registered(stack);
  await wallet.prefetch();
  const samples: number[] = [];
  for (let round = 0; round < IDLE_ROUNDS; round++) {
    await wait(IDLE_MS);
    samples.push(...(await timed(1, 0, () => wallet.sign(message))));
  }
  return [summarize('sign_after_idle_ms_p50', 'ms', samples)];
}

async function throughput(stack: Stack, progress: Progress): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const clients of [1, 8, 32]) {
    progress(`signing: throughput of ${clients} clients`);
    const wallets: Wallet[] = [];
    // One after another: this measures signing, and so many ceremonies at once are another load altogether.
    while (wallets.length < clients) wallets.push(await registered(stack));
    const each = Math.ceil(400 / clients);
    const [ms = 1] = await timed(1, 0, () =>
      Promise.all(
        wallets.map(async (wallet) => {
          for (let i = 0; i < each; i++) await wallet.sign(message);
        }),
      ),
    );
    figures.push(exact(`sign_per_s_${clients}_clients`, '1/s', (each * clients * 1000) / ms, each * clients));
  }
  return figures;
}

/** `@noble/curves` FROST, both signers and aggregation in one process, and a bare signature of `node:crypto`. */
async function yardsticks(progress: Progress): Promise<readonly Figure[]> {
  progress('signing: yardsticks');
  const { privateKey } = generateKeyPairSync('ed25519');
  const dealt = ed25519_FROST.trustedDealer({ min: 2, max: 2 });
  const ids = Object.keys(dealt.secretShares);
  const frost = () => {
    const rounds = ids.map((id) => ({ id, ...ed25519_FROST.commit(dealt.secretShares[id] as never) }));
    const commitments = rounds.map((round) => round.commitments);
    const shares = Object.fromEntries(
      rounds.map(({ id, nonces }) => [
        id,
        ed25519_FROST.signShare(dealt.secretShares[id] as never, dealt.public, nonces, commitments, message),
      ]),
    );
    return ed25519_FROST.aggregate(dealt.public, commitments, message, shares);
  };
  return [
    summarize('yardstick_noble_frost_ms', 'ms', await timed(30, 5, frost)),
    summarize('yardstick_node_sign_ms', 'ms', await timed(1_000, 100, () => nodeSign(null, message, privateKey))),
  ];
}
