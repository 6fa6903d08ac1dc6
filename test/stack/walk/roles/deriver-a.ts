import worker, { RoleObject } from '@streaming-yao/workers/roles/deriver-a';
import { heldRole } from '../held-role.ts';

const { held, HeldObject } = heldRole('deriver-a', { worker, RoleObject });

export { HeldObject as RoleObject };
export default held;
