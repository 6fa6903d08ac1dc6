import { describe, expect, it } from 'vitest';
import { OLDER_NODES, olderNode } from '../conformance/nodes.ts';
import { runInBrowser, runInNode, runInWorkerd } from '../conformance/runners.ts';
import { type SuiteReport, suite } from '../conformance/suite.ts';

function expectWhole(report: SuiteReport): void {
  expect(report.failed).toEqual([]);
  expect(report.passed).toEqual(suite.map(({ name }) => name));
}

describe('the conformance suite passes', () => {
  it('in this Node', async () => {
    const report = await runInNode(process.execPath);
    expect(report.runtime).toBe(`Node ${process.versions.node}`);
    expectWhole(report);
  });

  it.each(Object.entries(OLDER_NODES))(
    'in Node %s',
    async (major, version) => {
      const report = await runInNode(await olderNode(Number(major) as keyof typeof OLDER_NODES));
      expect(report.runtime).toBe(`Node ${version}`);
      expectWhole(report);
    },
    180_000,
  );

  it('in workerd', async () => {
    const report = await runInWorkerd();
    expect(report.runtime).toBe('workerd');
    expectWhole(report);
  });

  it('in Chromium', async () => {
    const report = await runInBrowser();
    expect(report.runtime).toMatch(/^Chromium \d+$/);
    expectWhole(report);
  });
});
