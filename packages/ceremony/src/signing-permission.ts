import { YaoError } from '@streaming-yao/core';
import { kindOf } from '@streaming-yao/signing';
import type { MessageKind, SignRequest } from '@streaming-yao/wire';
import { type LiveSession, sessionWithUse } from './live-session.ts';
import type { Program } from './program.ts';
import type { SigningWorkerSurroundings } from './role.ts';

/** What a permission is asked for. */
export type ToBeSigned = Pick<SignRequest, 'lane' | 'message' | 'preimage' | 'session'>;

/**
 * Whether deployment and session let this message be signed, asked before a nonce is used for it.
 * @returns the session that the signature counts in, with a use on hand
 * @throws YaoError `session_required`, `session_unknown`, `budget_exhausted`, `kind_refused`, `invalid_request`
 */
export function* permit(
  s: SigningWorkerSurroundings,
  request: ToBeSigned,
  publicKey: Uint8Array,
): Program<LiveSession | undefined> {
  const { policy } = s;
  if (request.session === null && policy?.sessions === 'required') {
    throw new YaoError('session_required', 'this deployment signs within sessions only; ask the user to open one, and name it', {
      party: 'client',
    });
  }
  const session = request.session === null ? undefined : yield* sessionWithUse(s, request.lane, request.session);
  checkKind([policy?.kinds, session?.record.kinds], request, publicKey);
  return session;
}

function checkKind(
  allowed: readonly (readonly MessageKind[] | null | undefined)[],
  request: ToBeSigned,
  publicKey: Uint8Array,
): void {
  const lists = allowed.filter((kinds) => kinds !== null && kinds !== undefined);
  if (lists.length === 0 && request.preimage === null) return;
  const kind = kindOf(request.message, request.preimage, publicKey);
  const refusing = lists.find((kinds) => !kinds.includes(kind));
  if (!refusing) return;
  throw new YaoError('kind_refused', `this message is of kind ${kind}, and only ${refusing.join(', ')} may be signed here`, {
    party: 'client',
  });
}
