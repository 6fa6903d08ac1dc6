import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../tools/processes.ts';
import { startTestRoles, type TestRoles } from './workerd.ts';

let running: TestRoles;
beforeAll(async () => {
  running = await startTestRoles();
});
afterAll(() => running.stop());

const write = (wallet: string, writes: readonly object[], more: object = {}) =>
  running.post('router', '/write', { wallet, writes, ...more });
const read = async (wallet: string, prefix = '', limit = 100) =>
  (await running.post('router', '/read', { wallet, prefix, limit })).body;

describe('records', () => {
  it('are written as a whole or, when the decision throws, not at all', async () => {
    const wallet = 'atomic';
    await write(wallet, [{ key: 'a', text: '1' }]);
    const writes = [
      { key: 'a', text: 'changed' },
      { key: 'b', text: 'new' },
    ];
    const refused = await write(wallet, writes, { fail: 'yao' });
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'epoch_conflict', ceremonyId: 'ab'.repeat(32) } } });
    expect((await write(wallet, writes, { fail: 'fault' })).status).toBe(500);
    expect(await read(wallet)).toEqual([['a', '1']]);
    await write(wallet, writes);
    expect(await read(wallet)).toEqual([
      ['a', 'changed'],
      ['b', 'new'],
    ]);
  });

  it('are out of reach once the transaction has ended', async () => {
    const wallet = 'ended';
    expect((await write(wallet, [], { late: true })).status).toBe(500);
    expect(await read(wallet)).toEqual([]);
  });

  it('are listed by prefix, in order, up to a limit', async () => {
    const wallet = 'listed';
    const keys = ['b/2', 'a', 'b/10', 'b/\u{1F600}', 'b0', 'b/', 'c'];
    await write(
      wallet,
      keys.map((key) => ({ key, text: '' })),
    );
    expect(((await read(wallet, 'b/')) as string[][]).map(([key]) => key)).toEqual(['b/', 'b/10', 'b/2', 'b/\u{1F600}']);
    expect(((await read(wallet, 'b/', 2)) as string[][]).map(([key]) => key)).toEqual(['b/', 'b/10']);
  });

  it('are still there when the process is killed right after the answer', async () => {
    const wallet = 'durable';
    for (let i = 0; i < 3; i++) {
      await write(wallet, [{ key: `${i}`, text: 'kept' }]);
      const { ended, pid } = await running.roles.router.restart();
      expect(pid).not.toBe(ended);
    }
    expect(await read(wallet)).toEqual([
      ['0', 'kept'],
      ['1', 'kept'],
      ['2', 'kept'],
    ]);
  });
});

describe('deletion times', () => {
  const left = async (wallet: string, keys: readonly string[]) =>
    until(`only ${keys.join(', ')} left`, async () => {
      const found = ((await read(wallet)) as string[][]).map(([key]) => key);
      return found.length <= keys.length ? found : undefined;
    });

  it('are kept by an alarm, the earliest first, whatever the order of writing', async () => {
    const wallet = 'alarm';
    const now = Date.now();
    await write(wallet, [{ key: 'far', text: '', deleteAtMs: now + 3_600_000 }]);
    await write(wallet, [{ key: 'second', text: '', deleteAtMs: now + 1_500 }]);
    await write(wallet, [
      { key: 'first', text: '', deleteAtMs: now + 700 },
      { key: 'for ever', text: '' },
    ]);
    expect(await left(wallet, ['far', 'for ever', 'second'])).toEqual(['far', 'for ever', 'second']);
    expect(await left(wallet, ['far', 'for ever'])).toEqual(['far', 'for ever']);
  });

  it('survive the end of the process, also when they pass while it is down', async () => {
    const wallet = 'down';
    await write(wallet, [
      { key: 'due', text: '', deleteAtMs: Date.now() + 300 },
      { key: 'stays', text: '' },
    ]);
    await running.roles.router.down();
    await new Promise((passed) => setTimeout(passed, 400));
    await running.roles.router.up();
    expect(await left(wallet, ['stays'])).toEqual(['stays']);
  });

  it('are replaced with the record', async () => {
    const wallet = 'replaced';
    await write(wallet, [{ key: 'a', text: '1', deleteAtMs: Date.now() + 300 }]);
    await write(wallet, [
      { key: 'a', text: '2' },
      { key: 'b', text: '', deleteAtMs: Date.now() + 600 },
    ]);
    expect(await left(wallet, ['a'])).toEqual(['a']);
    expect(await read(wallet)).toEqual([['a', '2']]);
  });
});
