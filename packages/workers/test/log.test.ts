import { YaoError } from '@streaming-yao/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { faultCounts, logFault } from '../src/log.ts';

const written: string[] = [];
vi.spyOn(console, 'error').mockImplementation((line: string) => void written.push(line));
afterEach(() => {
  written.length = 0;
});

const SECRET = 'yao-secret:router:signing-key:c2VjcmV0';

function lineOf(error: unknown, line: object = {}): Record<string, unknown> {
  logFault({ event: 'fault', role: 'router', path: '/v1/wallets', ...line }, error);
  expect(written).toHaveLength(1);
  return JSON.parse(written[0] ?? '') as Record<string, unknown>;
}

describe('a line of the log', () => {
  it('is JSON with a closed list of fields, whatever it is given', () => {
    const more = { walletId: 'alice', secret: SECRET, message: 'alice' };
    expect(lineOf(new YaoError('busy', `wait, alice: ${SECRET}`), more)).toEqual({
      event: 'fault',
      role: 'router',
      path: '/v1/wallets',
      code: 'busy',
    });
  });

  it('says where a fault happened, and nothing of its message', () => {
    const smuggled = [
      `alice ${SECRET}`,
      `first line\n    at alice (${SECRET})\n    at Alice.sign (file:///alice.ts:1:1)`,
      `at wallet-alice (/alice.ts:1:2)`,
    ];
    for (const message of smuggled) {
      written.length = 0;
      const line = lineOf(new TypeError(message));
      expect(Object.keys(line)).toEqual(['event', 'role', 'path', 'fault']);
      const [name, ...frames] = line.fault as string[];
      expect(name).toBe('TypeError');
      expect(frames.length).toBeGreaterThan(0);
      expect(frames[0]).toContain('log.test.ts');
      expect(written[0]).not.toContain('alice');
      expect(written[0]).not.toContain(SECRET);
    }
  });

  it('trusts no name and no stack that an error brings along', () => {
    const named = Object.assign(new Error('x'), { name: SECRET });
    expect((lineOf(named).fault as string[])[0]).toBe('Error');
    written.length = 0;
    const stacked = Object.assign(new Error('x'), { stack: `x\n    at alice\n    at ${SECRET} (alice)` });
    expect(lineOf(stacked).fault).toEqual(['Error']);
    written.length = 0;
    expect(lineOf(SECRET).fault).toEqual(['string']);
  });

  it('is counted by event', () => {
    const before = faultCounts();
    lineOf(new Error('x'));
    expect(faultCounts()).toEqual({ ...before, fault: (before.fault ?? 0) + 1 });
  });
});
