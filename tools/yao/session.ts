import type { MessageKind, Signed, SigningSession } from '@streaming-yao/client';
import { fromHex, type Json, toHex, YaoError } from '@streaming-yao/core';
import { MESSAGE_KINDS } from '@streaming-yao/wire';
import type { Command, Outcome } from './commands.ts';
import { wholeNumber } from './device.ts';

const request = (why: string): YaoError => new YaoError('invalid_request', why, { party: 'client' });

/** @throws YaoError `invalid_request` */
export function sessionId(text: string | undefined): Uint8Array {
  if (text !== undefined && /^[0-9a-f]{64}$/.test(text)) return fromHex(text);
  throw request('a session is 64 hexadecimal digits, as session list names it');
}

function kindsOf(text: string | undefined): readonly MessageKind[] | undefined {
  return text?.split(',').map((name) => {
    const kind = MESSAGE_KINDS.find((known) => known === name);
    if (kind) return kind;
    throw request(`there is no kind "${name}"; known are ${MESSAGE_KINDS.join(', ')}`);
  });
}

const shown = ({ sessionId: id, uses, usesLeft, kinds, expiresAtMs }: SigningSession): { readonly [name: string]: Json } => ({
  ...{ sessionId: toHex(id), uses, usesLeft, kinds, expiresAtMs },
});

function outcomeOf(sessions: readonly SigningSession[]): Outcome {
  const lines = sessions.map(({ sessionId: id, uses, usesLeft, kinds, expiresAtMs }) => {
    const what = kinds === null ? 'any kind' : kinds.join(', ');
    return `${toHex(id)}  ${usesLeft} of ${uses} left, ${what}, until ${new Date(expiresAtMs).toISOString()}`;
  });
  return { lines: lines.length > 0 ? lines : ['no session is open'], data: { sessions: sessions.map(shown) } };
}

/** `session open`, `session list`, `session close ID` */
export const signingSession: Command = async ({ wallet }, [step, id], { keyIndex, uses, minutes, kinds }) => {
  if (step === 'open') {
    const extent = { uses: wholeNumber(uses, '--uses'), minutes: wholeNumber(minutes, '--minutes'), kinds: kindsOf(kinds) };
    const session = await wallet.openSession({ keyIndex, ...extent });
    return { lines: outcomeOf([session]).lines, data: shown(session) };
  }
  if (step === 'list') return outcomeOf(await wallet.sessions({ keyIndex }));
  if (step === 'close') return outcomeOf(await wallet.closeSession(sessionId(id), { keyIndex }));
  throw request('session open, session list, session close ID');
};

/** How a signature was made. */
export function explanationOf({ poolHit, requests, presignsLeft, usesLeft }: Signed): Outcome {
  const how = poolHit ? 'hit: commitments were at hand' : 'miss: the SigningWorker’s commitments came with its share';
  return {
    lines: [
      `${how}; ${requests} ${requests === 1 ? 'request' : 'requests'}`,
      `${presignsLeft} presigns left`,
      usesLeft === undefined ? 'in no session' : `${usesLeft} uses of the session left`,
    ],
    data: { poolHit, requests, presignsLeft, usesLeft: usesLeft ?? null },
  };
}
