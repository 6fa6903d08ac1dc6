import worker, { RoleObject as Base } from '@streaming-yao/workers/roles/deriver-a';
import { meteredObject, meteredWorker } from './metered.ts';

export const RoleObject = meteredObject(Base, 'OBJECTS');
export default meteredWorker(worker);
