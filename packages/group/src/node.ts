import type { Group } from './group.ts';
import { nobleGroup } from './noble-group.ts';

/** The group for Node. */
export function loadGroup(): Group {
  return nobleGroup;
}
