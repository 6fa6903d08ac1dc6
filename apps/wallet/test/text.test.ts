import { YaoError } from '@streaming-yao/client';
import { describe, expect, it } from 'vitest';
import { en } from '../src/text/en.ts';
import { ja } from '../src/text/ja.ts';
import { sentenceOf } from '../src/views/view.ts';

describe.each([
  ['English', en],
  ['Japanese', ja],
] as const)('in %s, what failed', (_, text) => {
  it.each([
    ['deriver-a', 'Deriver A'],
    ['deriver-b', 'Deriver B'],
    ['signing-worker', 'SigningWorker'],
  ] as const)('is named where it is %s', (party, name) => {
    const sentence = sentenceOf(text, new YaoError('peer_failed', 'gone', { party }));
    expect(sentence.startsWith(name)).toBe(true);
    expect(sentence).not.toBe(text.errors.peer_failed);
  });

  it('is the Router where nobody else is named', () => {
    for (const party of ['router', 'client'] as const)
      expect(sentenceOf(text, new YaoError('peer_failed', 'gone', { party }))).toBe(text.errors.peer_failed);
    expect(text.errors.peer_failed?.startsWith('Router') || text.errors.peer_failed?.startsWith('The Router')).toBe(true);
  });

  it('keeps its own sentence for every other code, and one for what has none', () => {
    expect(sentenceOf(text, new YaoError('busy', 'later', { party: 'deriver-a' }))).toBe(text.errors.busy);
    expect(sentenceOf(text, new YaoError('internal', 'fault'))).toBe(text.errors.unexpected);
    expect(sentenceOf(text, new Error('fault'))).toBe(text.errors.unexpected);
  });
});
