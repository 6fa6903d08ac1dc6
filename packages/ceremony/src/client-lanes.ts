import { type LanesAnswer, LanesRequest, LanesStatement, NameAnswer, NameRequest, SignedLanes } from '@streaming-yao/wire';
import { ask, type Program } from './program.ts';
import type { ClientSurroundings } from './role.ts';
import { checkLanes } from './statement.ts';

/** A key's lanes and the wallet's authority, as the SigningWorker states them now. @throws YaoError `receipt_invalid` */
export function* askLanes(s: Pick<ClientSurroundings, 'pins'>, request: LanesRequest): Program<LanesAnswer> {
  const signed = SignedLanes.fromJson(yield* ask('/v1/lanes', LanesRequest.toJson(request)));
  return yield* checkLanes(s.pins, LanesStatement.digest(request.statement), signed);
}

export function* nameLane(request: NameRequest): Program<void> {
  NameAnswer.fromJson(yield* ask('/v1/lanes/name', NameRequest.toJson(request)));
}
