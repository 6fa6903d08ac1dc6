import { handlers } from '@streaming-yao/ceremony/deriver-b';
import { createRole } from '../role-entry.ts';
import { deriverSurroundings } from './deriver.ts';

const deriver = createRole({ role: 'deriver-b', handlers, surroundings: deriverSurroundings });

export const RoleObject = deriver.RoleObject;
export default deriver.worker;
