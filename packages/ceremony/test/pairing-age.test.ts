import { STANDARD_SETTINGS, toHex } from '@streaming-yao/core';
import { openScene, refresh, registeredBeginning } from '@streaming-yao/simulator';
import { Receipt } from '@streaming-yao/wire';
import { expect, test } from 'vitest';

test('a pairing is replaced in the background before it is too old, and not used when it is', async () => {
  const { run, surroundings, wallet, world } = openScene('age of pairings', { beginning: await registeredBeginning() });
  const pairingOf = async (): Promise<string> => {
    const { answer } = await run('refresh', refresh(surroundings, wallet));
    return toHex(Receipt.decode(answer.receipt.payload).ticket.pairing);
  };
  const first = await pairingOf();
  expect(await pairingOf()).toBe(first);
  await world.drain(0.9 * STANDARD_SETTINGS.pairingLifeMs);
  // This one does not wait for the replacement that it brings about.
  expect(await pairingOf()).toBe(first);
  await world.drain(1_000);
  const second = await pairingOf();
  expect(second).not.toBe(first);
  await world.drain(STANDARD_SETTINGS.pairingLifeMs);
  expect([first, second]).not.toContain(await pairingOf());
});
