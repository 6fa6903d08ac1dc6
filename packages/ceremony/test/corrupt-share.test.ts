import { equalBytes, YaoError } from '@streaming-yao/core';
import {
  type Actor,
  exportKey,
  openScene,
  recallLane,
  refresh,
  registeredBeginning,
  type Scene,
  sign,
} from '@streaming-yao/simulator';
import { packageInfo } from '@streaming-yao/wire';
import { describe, expect, test } from 'vitest';
import type { Lane } from '../src/client.ts';
import type { Effect } from '../src/program.ts';

/** A's next package to `recipient` has one bit wrong; receipt, digests and signatures are those of what it sends. */
async function corruptScene(name: string, recipient: 'client' | 'signing-worker'): Promise<Scene> {
  let sealed = 0;
  const amend = ({ role }: Actor, effect: Effect): Effect => {
    const meant = effect.kind === 'seal' && role === 'deriver-a' && equalBytes(effect.info, packageInfo('deriver-a', recipient));
    if (!meant || sealed++ > 0) return effect;
    const plaintext = effect.plaintext.map((bytes) => bytes.map((byte, i) => (i === 0 ? byte ^ 1 : byte)));
    return { ...effect, plaintext };
  };
  return openScene(name, { beginning: await registeredBeginning(), amend });
}

const codeOf = (run: Promise<unknown>): Promise<string> =>
  run.then(
    () => 'accepted',
    (error: unknown) => (error instanceof YaoError ? error.code : String(error)),
  );

async function signsAtEpoch({ run, surroundings, wallet }: Scene): Promise<number> {
  const lane = (await run('lane', recallLane(wallet.walletId))) as Lane;
  await run('sign', sign(surroundings, lane, new Uint8Array(3)));
  return lane.epoch;
}

describe('a share with one bit wrong, which everybody signs for,', () => {
  test.each(['client', 'signing-worker'] as const)('is refused by the %s, and the old epoch signs', async (recipient) => {
    const scene = await corruptScene(`share for the ${recipient}`, recipient);
    const { run, surroundings, wallet } = scene;
    const before = await signsAtEpoch(scene);
    expect(await codeOf(run('refresh', refresh(surroundings, wallet)))).toBe('commitment_mismatch');
    expect(await signsAtEpoch(scene)).toBe(before);
  });

  test('of an exported seed is shown to nobody', async () => {
    const { run, surroundings, wallet } = await corruptScene('share of the seed', 'client');
    expect(await codeOf(run('export', exportKey(surroundings, wallet)))).toBe('public_key_mismatch');
    expect(await codeOf(run('export', exportKey(surroundings, wallet)))).toBe('accepted');
  });
});
