import { handlers } from '@streaming-yao/ceremony/deriver-a';
import { createRole } from '../role-entry.ts';
import { deriverSurroundings } from './deriver.ts';

const deriver = createRole({ role: 'deriver-a', handlers, surroundings: deriverSurroundings });

export const RoleObject = deriver.RoleObject;
export default deriver.worker;
