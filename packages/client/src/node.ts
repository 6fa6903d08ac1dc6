export { loadGroup } from '@streaming-yao/group/node';
