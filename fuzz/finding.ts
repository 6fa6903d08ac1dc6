import { YaoError } from '@streaming-yao/core';

/** What must hold for every input. */
export const PROPERTIES = ['crash', 'hang', 'allocation', 'canonical'] as const;
export type Property = (typeof PROPERTIES)[number];

/** A property that does not hold for an input. */
export class Finding extends Error {
  override readonly name = 'Finding';
  readonly property: Property;

  constructor(property: Property, what: string) {
    super(`${property}: ${what}`);
    this.property = property;
  }
}

/** @returns what `work` gives, or `undefined` when it refuses with a YaoError. @throws Finding for any other error */
export function typed<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    return refusal(error);
  }
}

/** Passes over what a program may throw. @throws Finding for anything but a YaoError, and for `internal` */
export function refusal(error: unknown): undefined {
  if (error instanceof YaoError && error.code !== 'internal') return undefined;
  if (error instanceof Finding) throw error;
  throw new Finding('crash', error instanceof Error ? (error.stack ?? error.message) : String(error));
}

/** Whatever was accepted is written again as it came. */
export function expectSame(came: Uint8Array | string, written: Uint8Array | string, what: string): void {
  if (Buffer.compare(Buffer.from(came), Buffer.from(written)) !== 0) {
    throw new Finding('canonical', `${what} accepts an encoding that it would not write`);
  }
}
