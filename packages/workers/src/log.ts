import { YaoError } from '@streaming-yao/core';

/** The only fields a log line may have; none can hold what a caller sent or a role keeps. */
export interface LogLine {
  readonly event: 'fault' | 'background-failure' | 'audit-lost';
  readonly role: string;
  readonly path?: string;
  readonly ceremonyId?: string;
}

/** Writes a fault as one JSON line: the code where there is one, else where in the code it happened; never its message. */
export function logFault(line: LogLine, error: unknown): void {
  const known = error instanceof YaoError ? { code: error.code } : { fault: placeOf(error) };
  console.error(JSON.stringify({ ...line, ...known }));
}

function placeOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [typeof error];
  const frames = (error.stack ?? '').split('\n').filter((line) => line.trimStart().startsWith('at '));
  return [error.name, ...frames.slice(0, 8).map((line) => line.trim())];
}
