import worker, { RoleObject } from '@streaming-yao/workers/roles/router';
import { heldRole } from '../held-role.ts';

const { held, HeldObject } = heldRole('router', { worker, RoleObject });

export { HeldObject as RoleObject };
export default held;
