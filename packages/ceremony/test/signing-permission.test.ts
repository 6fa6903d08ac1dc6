import { utf8 } from '@streaming-yao/core';
import { describe, expect, test } from 'vitest';
import { laneOfUser } from './lane-of-user.ts';
import { random } from './signing-worker-alone.ts';

describe('what may be signed', () => {
  const bytes = Uint8Array.of(0);

  test('a session’s kinds: a message of another kind is refused, and its presign is not spent', async () => {
    const { open, use, prepare, request, sign } = laneOfUser();
    const session = await open({ kinds: ['text'] });
    expect(await use(session, bytes)).toBe('kind_refused');
    expect(await use(session, utf8('text'))).toBe(2);
    await prepare();
    const refused = request({ session: session.sessionId, message: bytes });
    await expect(sign(refused)).rejects.toMatchObject({ code: 'kind_refused', party: 'client', message: /bytes.*text/ });
    expect((await sign({ ...(refused as object), session: null })).signature).toHaveLength(64);
  });

  test('the deployment’s kinds, in a session and without', async () => {
    const { open, use, prepare, request, sign, shareRequest, giveShare } = laneOfUser({ kinds: ['text'], sessions: 'optional' });
    const session = await open({ kinds: ['bytes', 'text'] });
    expect(await use(session, bytes)).toBe('kind_refused');
    expect(await use(session)).toBe(2);
    await prepare(2);
    await expect(sign(request({ message: bytes }))).rejects.toMatchObject({ code: 'kind_refused' });
    expect((await sign(request())).usesLeft).toBeNull();
    await expect(giveShare(shareRequest({ message: bytes }).body)).rejects.toMatchObject({ code: 'kind_refused' });
    expect((await giveShare(shareRequest().body)).usesLeft).toBeNull();
  });

  test('nothing without a session, where the deployment says so', async () => {
    const { open, use, prepare, request, sign, shareRequest, giveShare } = laneOfUser({ kinds: null, sessions: 'required' });
    await prepare();
    await expect(sign(request())).rejects.toMatchObject({ code: 'session_required', party: 'client' });
    await expect(giveShare(shareRequest().body)).rejects.toMatchObject({ code: 'session_required', party: 'client' });
    expect(await use(await open())).toBe(2);
    expect(await use({ sessionId: random(32) })).toBe('session_unknown');
  });

  test('no digest under another preimage', async () => {
    const { prepare, request, sign } = laneOfUser();
    await prepare();
    const body = request({ message: new Uint8Array(32), preimage: utf8('a transaction') });
    await expect(sign(body)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
