import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { ERROR_CODES, type ErrorCode, errorBody, errorFromBody, YaoError } from '../src/index.ts';

const codes = Object.keys(ERROR_CODES) as ErrorCode[];

test('docs/errors.md has one line per code, with its status and whether to try again', async () => {
  const document = await readFile(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
  const lines = [...document.matchAll(/^\| `(\w+)` \| (\d+) \| (yes|no) \| (.+) \|$/gm)].map(([, code, status, again]) => ({
    code,
    status: Number(status),
    retryable: again === 'yes',
  }));
  expect(lines).toEqual(codes.map((code) => ({ code, ...ERROR_CODES[code] })));
});

test.each(codes)('%s survives the way over HTTP', (code) => {
  const sent = new YaoError(code, 'a message', { party: 'client', ceremonyId: 'ab' });
  const received = errorFromBody(JSON.parse(JSON.stringify(errorBody(sent))), 'router');
  expect(received).toMatchObject({ code, message: 'a message', party: 'client', ceremonyId: 'ab', ...ERROR_CODES[code] });
});

test('an error of unknown origin keeps its message to itself', () => {
  const body = JSON.stringify(errorBody(new Error('secret 42')));
  expect(body).not.toContain('42');
  expect(JSON.parse(body).error.code).toBe('internal');
});

test.each([undefined, null, 'text', {}, { error: 'x' }, { error: { code: 'toString', message: 'x' } }])(
  'an answer %j that is not of this protocol is the peer’s failure',
  (body) => {
    expect(errorFromBody(body, 'deriver-b')).toMatchObject({ code: 'peer_failed', party: 'deriver-b' });
  },
);

test('within adds what is missing and changes nothing that is known', () => {
  const bare = new YaoError('busy', 'later');
  expect(bare.within({ party: 'router', ceremonyId: '00' })).toMatchObject({ party: 'router', ceremonyId: '00' });
  const known = new YaoError('busy', 'later', { party: 'client' });
  expect(known.within({ party: 'router' })).toMatchObject({ party: 'client', code: 'busy', message: 'later' });
});
