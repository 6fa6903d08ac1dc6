import worker, { RoleObject } from '@streaming-yao/workers/roles/deriver-b';
import { heldRole } from '../held-role.ts';

const { held, HeldObject } = heldRole('deriver-b', { worker, RoleObject });

export { HeldObject as RoleObject };
export default held;
