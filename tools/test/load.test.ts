import { spawnSync } from 'node:child_process';
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { concatBytes, YaoError } from '@streaming-yao/core';
import { decodeWideScalar, encodeScalar } from '@streaming-yao/group';
import { expect, it } from 'vitest';
import { load } from '../../bench/load/run.ts';
import { Tally } from '../../bench/load/tally.ts';
import { withStack } from '../../bench/with-stack.ts';
import { repository } from '../bundle.ts';

it('a load in small leaves every wallet signing, whatever is killed', () => {
  const args = ['--ceremonies', '9', '--signatures', '45', '--clients', '1,3', '--kill-every-ms', '1000', '--json'];
  const run = spawnSync('npm', ['run', '--silent', 'load', '--', ...args], { cwd: repository, encoding: 'utf8' });
  expect([run.status, run.stderr]).toEqual([0, expect.stringContaining('a role killed every 1000 ms')]);
  const result = JSON.parse(run.stdout.trim().split('\n').at(-1) ?? '');
  expect(result).toMatchObject({ failures: {}, walletsLost: 0, faults: [] });
  expect(result.kills).toBeGreaterThan(0);
  const ceremonies = result.figures.find(({ id }: { id: string }) => id === 'load_3_clients_ceremonies_per_s');
  expect(ceremonies).toMatchObject({ n: 3, value: expect.any(Number) });
});

it.each([
  [['--clients', 'many'], '--clients needs a whole number, not many'],
  [['--profile', 'none'], '--profile is one of one-account, two-operators'],
])('a load refuses %j', (args, why) => {
  const run = spawnSync('npm', ['run', '--silent', 'load', '--', ...args], { cwd: repository, encoding: 'utf8' });
  expect([run.status, run.stderr]).toEqual([1, expect.stringContaining(why)]);
});

it('a load tells what failed while nothing was killed', async () => {
  const options = { ceremonies: 3, signatures: 6, clients: [1], killEveryMs: 0 };
  const result = await withStack({ settings: { signsPerMinute: 1 }, inspected: true }, (stack) =>
    load(stack, options, () => undefined),
  );
  expect(result).toMatchObject({ failures: { rate_limited: 1 }, kills: 0, walletsLost: 0 });
});

it('the tally of a load tells a wrong signature, a nonce that was used twice, and what failed', async () => {
  const tally = new Tally();
  const { secretKey, publicKey } = ed25519.keygen();
  const [first, second] = [Uint8Array.of(1), Uint8Array.of(2)];
  const signature = ed25519.sign(first, secretKey);
  tally.check(publicKey, first, signature);
  tally.check(publicKey, first, signature);
  expect(() => tally.check(publicKey, second, signature)).toThrow('does not verify');
  // Whoever knows the nonce r of R can sign anything under it: here r = 1, so R is the base point.
  const forged = underNonceOne(secretKey, publicKey);
  tally.check(publicKey, first, forged(first));
  expect(() => tally.check(publicKey, second, forged(second))).toThrow('two messages were signed under the nonce');
  const failing = tally.of('sign', () => Promise.reject(new YaoError('busy', 'try again')));
  await expect(failing).rejects.toThrow('try again');
  expect([...tally.failures]).toEqual([['busy', 1]]);
});

function underNonceOne(secretKey: Uint8Array, publicKey: Uint8Array): (message: Uint8Array) => Uint8Array {
  const { scalar } = ed25519.utils.getExtendedPublicKey(secretKey);
  const { Fn, BASE } = ed25519.Point;
  const nonce = BASE.toBytes();
  return (message) => {
    const challenge = decodeWideScalar(sha512(concatBytes(nonce, publicKey, message)));
    return concatBytes(nonce, encodeScalar(Fn.add(1n, Fn.mul(challenge, Fn.create(scalar)))));
  };
}
