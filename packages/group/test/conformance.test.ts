import { toHex } from '@streaming-yao/core';
import { describe, expect, it } from 'vitest';
import answers from '../../../vectors/group.json' with { type: 'json' };
import { digestOfResults, groupCases } from '../conformance/cases.ts';
import { loadGroup } from '../src/node.ts';
import { nobleGroup } from './noble-group.ts';

describe('the cases that every runtime must pass', () => {
  it('rest on an answer that the oracle gives', () => {
    expect(toHex(digestOfResults(nobleGroup))).toBe(answers.digest);
  });

  it('pass here', () => {
    const group = loadGroup();
    for (const each of groupCases) each.run(group);
  });

  it('are as many as the vectors', () => {
    expect(new Set(groupCases.map(({ name }) => name)).size).toBe(1 + 5 + 12 + 151);
  });
});
