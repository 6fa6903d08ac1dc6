import path from 'node:path';
import type { StackOptions } from '../../../tools/stack.ts';
import type { Control } from './control.ts';
import { SETTINGS } from './walk.ts';

/** A stack whose roles take every step with leave, and whose deadlines are short. */
export const heldStack = ({ port }: Control): Pick<StackOptions, 'settings' | 'services' | 'entry'> => ({
  settings: SETTINGS,
  services: { CONTROL: port },
  entry: (role) => path.join(import.meta.dirname, 'roles', `${role}.ts`),
});
