import worker, { RoleObject as Base, VaultSlot as Slot } from '@streaming-yao/workers/roles/signing-worker';
import { meteredObject, meteredWorker } from './metered.ts';

export const RoleObject = meteredObject(Base, 'OBJECTS');
export const VaultSlot = meteredObject(Slot, 'VAULT');
export default meteredWorker(worker);
