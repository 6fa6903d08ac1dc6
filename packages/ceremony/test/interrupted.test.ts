import { YaoError } from '@streaming-yao/core';
import {
  type Actor,
  changeCredentials,
  exportKey,
  HANDLERS,
  openScene,
  pairedBeginning,
  recallLane,
  recover,
  refresh,
  register,
  registeredBeginning,
  resume,
  type Scene,
  sign,
  type Wallet,
} from '@streaming-yao/simulator';
import { describe, expect, test } from 'vitest';
import type { Lane } from '../src/client.ts';
import type { Effect, Program } from '../src/program.ts';

const MESSAGE = new Uint8Array(3);

/** Another device of the scene's user. */
function tabletOf({ wallet }: Scene): Wallet {
  return { ...wallet, device: wallet.device.sibling('tablet') };
}

async function on<T>({ world }: Scene, wallet: Wallet, program: (s: Scene['surroundings']) => Program<T>): Promise<T | string> {
  const { actor, surroundings } = world.client(wallet.device);
  const outcome = await world.settle(world.start(actor, 'step', program(surroundings)));
  if ('value' in outcome) return outcome.value as T;
  if (outcome.error instanceof YaoError) return outcome.error.code;
  throw outcome.error;
}

const laneOf = async (scene: Scene, wallet: Wallet): Promise<Lane> =>
  (await on(scene, wallet, () => recallLane(wallet.walletId))) as Lane;

const signs = async (scene: Scene, wallet: Wallet, lane: Lane): Promise<unknown> => {
  const signed = await on(scene, wallet, (s) => sign(s, lane, MESSAGE));
  return typeof signed === 'string' ? signed : 'signed';
};

const tablesOf = (scene: Scene, table: string): readonly string[] =>
  [...(scene.world.objects.of('signing-worker', `wallet-${scene.wallet.walletId}`).store?.entries() ?? [])]
    .filter((record) => record.table === table)
    .map(({ key }) => key);

/** Does something once, just before the first effect that fits. */
function onceBefore(fits: (actor: Actor, effect: Effect) => boolean, happens: (actor: Actor) => void) {
  let done = false;
  return (actor: Actor, effect: Effect): Effect => {
    if (!done && fits(actor, effect)) {
      done = true;
      happens(actor);
    }
    return effect;
  };
}

const calls = (path: string) => (_: Actor, effect: Effect) => effect.kind === 'call' && effect.path === path;

describe('what a crash interrupts', () => {
  test('a notice of the first activation that never came does not keep a wallet from anything', async () => {
    let scene: Scene | undefined;
    const crash = (actor: Actor): void => scene?.world.crash(actor, 'the test');
    scene = openScene('lost notice', {
      beginning: await pairedBeginning(),
      amend: onceBefore(calls('/activated'), crash),
    });
    await scene.run('register', register(scene.surroundings, scene.wallet));
    await scene.world.drain(1000);
    const exported = await on(scene, scene.wallet, (s) => exportKey(s, scene.wallet));
    expect(exported).toHaveProperty('answer');
  });

  test('a Router that lost the wallet itself learns of it', async () => {
    const beginning = await registeredBeginning();
    const images = new Map(beginning.images);
    images.delete('router/shard-0');
    const scene = openScene('forgetful Router', { beginning: { ...beginning, images } });
    expect(await on(scene, scene.wallet, (s) => refresh(s, scene.wallet))).toHaveProperty('answer');
  });

  test('a refresh that was staged before a recovery cannot revive its retired lane', async () => {
    let scene: Scene | undefined;
    const asks = (_: Actor, effect: Effect) => effect.kind === 'ask' && effect.path === '/v1/lanes/confirm';
    scene = openScene('staged before a recovery', {
      beginning: await registeredBeginning(),
      amend: onceBefore(asks, (actor) => scene?.world.crash(actor, 'the test')),
    });
    const { wallet, world } = scene;
    const before = await laneOf(scene, wallet);
    const { actor, surroundings } = world.client(wallet.device);
    world.start(actor, 'refresh', refresh(surroundings, wallet));
    await world.drain(1000);
    expect(tablesOf(scene, 'staged')).toEqual(['0/1']);

    const tablet = tabletOf(scene);
    expect(await on(scene, tablet, (s) => recover(s, tablet))).toHaveProperty('answer');
    expect(tablesOf(scene, 'lane')).toEqual(['0/2']);
    expect(await on(scene, wallet, (s) => resume(s, wallet))).toBe('ceremony_unknown');
    expect(await signs(scene, wallet, before)).toBe('epoch_retired');
    expect(await signs(scene, tablet, await laneOf(scene, tablet))).toBe('signed');
    expect(tablesOf(scene, 'lane')).toEqual(['0/2']);
  });

  test('an old share that was not erased is erased when the object wakes', async () => {
    let scene: Scene | undefined;
    const erases = (_: Actor, effect: Effect) => effect.kind === 'vault-erase';
    scene = openScene('erasure', {
      beginning: await registeredBeginning(),
      amend: onceBefore(erases, (actor) => scene?.world.crash(actor, 'the test')),
    });
    const { wallet } = scene;
    expect(await on(scene, wallet, (s) => refresh(s, wallet))).toHaveProperty('answer');
    expect(tablesOf(scene, 'vault')).toHaveLength(2);
    expect(await signs(scene, wallet, await laneOf(scene, wallet))).toBe('signed');
    await scene.world.drain(1000);
    expect(tablesOf(scene, 'vault')).toHaveLength(1);
    expect(tablesOf(scene, 'share')).toHaveLength(1);
  });

  test('a change of credentials that only some roles heard of is finished before the next request', async () => {
    let scene: Scene | undefined;
    scene = openScene('half a change', {
      beginning: await registeredBeginning(),
      amend: onceBefore(calls('/authority'), (actor) => scene?.world.crash(actor, 'the test')),
    });
    const { wallet } = scene;
    expect(await on(scene, wallet, (s) => changeCredentials(s, wallet))).toBe('peer_failed');
    // The device does not ask for the same change again; it only learns of the new credentials.
    await on(scene, wallet, (s) => exportKey(s, wallet));
    expect(await on(scene, wallet, (s) => exportKey(s, wallet))).toHaveProperty('answer');
    expect(await on(scene, wallet, (s) => changeCredentials(s, wallet))).toBeUndefined();
  });

  test('a change of credentials outlives calls that were damaged on their way', async () => {
    let damaged = 0;
    const scene = openScene('damaged change', {
      beginning: await registeredBeginning(),
      amend: (_, effect) => {
        if (effect.kind !== 'call' || effect.path !== '/authority' || effect.role !== 'signing-worker' || damaged === 2)
          return effect;
        damaged++;
        const body = structuredClone(effect.body) as { update: { authority: { version: number } } };
        body.update.authority.version++;
        return { ...effect, body };
      },
    });
    const { wallet } = scene;
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(await on(scene, wallet, (s) => changeCredentials(s, wallet))).toBe('authority_mismatch');
    }
    await on(scene, wallet, (s) => exportKey(s, wallet));
    expect(await on(scene, wallet, (s) => exportKey(s, wallet))).toHaveProperty('answer');
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9])(
    'an activation that comes again while it is being made is answered alike (%i)',
    async (n) => {
      const { '/activate': honest } = HANDLERS['signing-worker'];
      if (!honest) throw new Error('the SigningWorker has no /activate');
      /** Overtaken by another run of the same after its first `n` effects. */
      const program: typeof honest.program = function* (s, body) {
        const overtaken = honest.program(s, body);
        let step = overtaken.next();
        for (let effects = 0; !step.done && effects < n; effects++) step = overtaken.next(yield step.value);
        const answer = yield* honest.program(s, body);
        while (!step.done) step = overtaken.next(yield step.value);
        expect(step.value).toEqual(answer);
        return answer;
      };
      const handlers = { 'signing-worker': { ...HANDLERS['signing-worker'], '/activate': { ...honest, program } } };
      const scene = openScene('activation twice', { beginning: await pairedBeginning(), handlers });
      const { wallet } = scene;
      expect(await on(scene, wallet, (s) => register(s, wallet))).toHaveProperty('answer');
      expect(await on(scene, wallet, (s) => refresh(s, wallet))).toHaveProperty('answer');
      expect(await signs(scene, wallet, await laneOf(scene, wallet))).toBe('signed');
    },
  );

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('two registrations at once end with one lane that signs (%i)', async (n) => {
    const scene = openScene(`two registrations ${n}`, { beginning: await pairedBeginning() });
    const { world, wallet } = scene;
    const devices = [wallet, tabletOf(scene)];
    for (const device of devices) {
      const { actor, surroundings } = world.client(device.device);
      world.start(actor, 'register', register(surroundings, device));
    }
    await world.drain(60_000);
    expect(tablesOf(scene, 'lane')).toEqual(['0/1']);
    const held = (await Promise.all(devices.map((device) => laneOf(scene, device)))).filter((lane) => lane !== undefined);
    expect(held).toHaveLength(1);
    expect(await signs(scene, wallet, held[0] as Lane)).toBe('signed');
  });
});
