import { YaoError } from '@streaming-yao/core';
import type { Role } from '@streaming-yao/wire';

const EVENTS = ['fault', 'background-failure', 'audit-lost'] as const;

/** The only fields a log line may have; none can hold what a caller sent or a role keeps. */
export interface LogLine {
  readonly event: (typeof EVENTS)[number];
  readonly role: Role;
  /** One of the role's own. */
  readonly path?: string;
}

const counts = new Map<string, number>();

/** Lines written since the isolate started, by event. */
export const faultCounts = (): Readonly<Record<string, number>> =>
  Object.fromEntries(EVENTS.map((event) => [event, counts.get(event) ?? 0]));

/** Writes a fault as one JSON line: the code where there is one, else where in the code it happened; never its message. */
export function logFault({ event, role, path }: LogLine, error: unknown): void {
  counts.set(event, (counts.get(event) ?? 0) + 1);
  const known = error instanceof YaoError ? { code: error.code } : { fault: placeOf(error) };
  console.error(JSON.stringify({ event, role, ...(path !== undefined && { path }), ...known }));
}

/** A place in the code as V8 writes it, and nothing that merely looks like one: a message may have lines of its own. */
const FRAME = /^at (?:(?:async |new )?[\w.$#<>[\] ]{1,80} \()?(?:file:\/\/\/|node:|cloudflare:)?[\w./-]{1,200}:\d+:\d+\)?$/;

function placeOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [typeof error];
  const { name, message, stack = '' } = error;
  const behind = message === '' ? 0 : stack.indexOf(message) + message.length;
  const frames = stack
    .slice(behind)
    .split('\n')
    .map((line) => line.trim());
  return [/^[A-Za-z]{1,40}$/.test(name) ? name : 'Error', ...frames.filter((line) => FRAME.test(line)).slice(0, 8)];
}
