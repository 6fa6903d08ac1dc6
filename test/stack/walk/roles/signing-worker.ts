import worker, { RoleObject, VaultSlot as Slot } from '@streaming-yao/workers/roles/signing-worker';
import { heldRole, heldSlot } from '../held-role.ts';

const { held, HeldObject } = heldRole('signing-worker', { worker, RoleObject });

export { HeldObject as RoleObject };
export const VaultSlot = heldSlot(Slot);
export default held;
