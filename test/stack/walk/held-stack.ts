import path from 'node:path';
import type { StackOptions } from '../../../tools/stack.ts';
import type { Control } from './control.ts';

/** Deadlines so short that a walk can wait for them. */
export const SETTINGS = { ceremonyDeadlineMs: 3_000, callDeadlineMs: 3_000, stagedLaneMs: 3_000 } as const;

/** A stack whose roles take every step with leave. */
export const heldStack = ({ port }: Control): Pick<StackOptions, 'settings' | 'services' | 'entry'> => ({
  settings: SETTINGS,
  services: { CONTROL: port },
  entry: (role) => path.join(import.meta.dirname, 'roles', `${role}.ts`),
});
