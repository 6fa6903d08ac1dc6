import { createGroup } from '@streaming-yao/group';
import groupModule from '@streaming-yao/group/group.wasm';

export const group = createGroup(groupModule);
