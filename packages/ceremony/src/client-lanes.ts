import { YaoError } from '@streaming-yao/core';
import { type LanesAnswer, LanesRequest, LanesStatement, NameAnswer, NameRequest, SignedLanes } from '@streaming-yao/wire';
import { ask, type Program } from './program.ts';
import type { ClientSurroundings } from './role.ts';
import { checkLanes } from './statement.ts';

/** A key's lanes, and the authority of its wallet. */
export type KeyLanes = NonNullable<LanesAnswer['key']> & Pick<LanesAnswer, 'authority'>;

/** A wallet's authority, and the lanes of one of its keys, as the SigningWorker states them now. @throws YaoError `receipt_invalid` */
export function* askLanes(s: Pick<ClientSurroundings, 'pins'>, request: LanesRequest): Program<LanesAnswer> {
  const signed = SignedLanes.fromJson(yield* ask('/v1/lanes', LanesRequest.toJson(request)));
  return yield* checkLanes(s.pins, LanesStatement.digest(request.statement), signed);
}

/** @throws YaoError `unknown_wallet` where the wallet has no such key */
export function lanesOfKey(keyIndex: number, { key, authority }: LanesAnswer): KeyLanes {
  if (key) return { ...key, authority };
  throw new YaoError('unknown_wallet', `this wallet has no key ${keyIndex}; register it first`, { party: 'client' });
}

export function* nameLane(request: NameRequest): Program<void> {
  NameAnswer.fromJson(yield* ask('/v1/lanes/name', NameRequest.toJson(request)));
}
