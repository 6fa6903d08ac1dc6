import { loadGroup } from '@streaming-yao/group/node';

export const group = loadGroup();
