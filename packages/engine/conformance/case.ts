import type { Group } from '@streaming-yao/group';
import type { Engine } from '../src/engine.ts';

/** One statement that must hold in every runtime. */
export interface ConformanceCase {
  readonly name: string;
  /** Throws when the statement does not hold. */
  run(engine: Engine, group: Group): void;
}

export function check(condition: boolean, statement: string): void {
  if (!condition) throw new Error(statement);
}

export function equal<T>(actual: T, expected: T, what: string): void {
  if (actual !== expected) throw new Error(`${what}: expected ${String(expected)}, got ${String(actual)}`);
}

/** @throws Error unless `action` throws an error with this code */
export function refuses(code: string, action: () => unknown): void {
  let outcome = 'no error';
  try {
    action();
  } catch (error) {
    outcome = (error as { code?: string }).code ?? String(error);
  }
  equal(outcome, code, 'outcome');
}
