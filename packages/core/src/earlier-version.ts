import { YaoError } from './error.ts';

/** What `decode` gives of a stored record, or `undefined` where an earlier version has stored it in a form of its own. */
export function ofThisVersion<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch (error) {
    if (error instanceof YaoError && error.code !== 'secret_wiped') return undefined;
    throw error;
  }
}
