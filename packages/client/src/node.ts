export { loadGroup } from '@streaming-yao/group/node';
export { connectRouterKeepAlive } from './node-connection.ts';
