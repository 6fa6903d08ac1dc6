import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readMonitor } from '../src/monitoring.ts';
import { startTestRoles, type TestRoles } from './workerd.ts';

const TOKEN = 'a token of the monitor';
const MONITOR = createHash('sha256').update(TOKEN).digest('hex');

let running: TestRoles;
beforeAll(async () => {
  running = await startTestRoles({ MONITOR });
});
afterAll(() => running.stop());

const ask = (path: string, headers: Record<string, string> = { authorization: `Bearer ${TOKEN}` }) =>
  fetch(running.roles.router.url + path, { headers });

describe('metrics and readiness', () => {
  it.each(['/metrics', '/health/ready'])('do not exist for whoever has not the token: %s', async (path) => {
    for (const authorization of ['', 'Bearer ', 'Bearer wrong', `Basic ${TOKEN}`, `Bearer ${MONITOR}`]) {
      const response = await ask(path, { authorization });
      expect([response.status, await response.json()]).toMatchObject([404, { error: { code: 'unknown_route' } }]);
    }
  });

  it('count answers by path and status, and let nobody make up a label', async () => {
    const before = await (await ask('/metrics')).text();
    await ask('/health');
    await ask('/wallet-of-alice');
    await ask('/constructor');
    await running.post('router', '/no-such-path-of-alice', { walletId: 'alice' });
    const response = await ask('/metrics');
    const text = await response.text();
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const of = (metrics: string, label: string): number => Number(metrics.split(`${label} `)[1]?.split('\n')[0] ?? 0);
    const grown = (label: string): number => of(text, label) - of(before, label);
    expect(grown('yao_requests_total{role="router",path="/health",status="200"}')).toBe(1);
    expect(grown('yao_requests_total{role="router",path="other",status="404"}')).toBe(3);
    expect(text).not.toContain('alice');
    const lines = text.trimEnd().split('\n');
    for (const line of lines)
      expect(line).toMatch(/^(# (HELP|TYPE) yao_\w+_total .*|yao_\w+_total\{[a-z]+="[\w/.-]+"(,[a-z]+="[\w/.-]+")*\} \d+)$/);
    expect(text).toContain('yao_faults_total{role="router",event="fault"} 0');
  });

  it('are ready while everything that the role needs answers, and name what does not', async () => {
    const ready = await ask('/health/ready');
    expect([ready.status, await ready.json()]).toMatchObject([200, { role: 'router', ready: true }]);
    await running.roles['deriver-b'].down();
    const waiting = await ask('/health/ready');
    const { error } = (await waiting.json()) as { error: { code: string; message: string } };
    expect([waiting.status, error.code]).toEqual([503, 'not_ready']);
    expect(error.message).toContain('deriver-b of router does not answer');
    await running.roles['deriver-b'].up();
  });

  it('need a digest of the token in the configuration, not the token', () => {
    expect(readMonitor('router', undefined)).toBeUndefined();
    for (const wrong of [TOKEN, MONITOR.toUpperCase(), '', 5, null]) {
      expect(() => readMonitor('router', wrong)).toThrow(expect.objectContaining({ code: 'config_invalid' }));
    }
  });
});
