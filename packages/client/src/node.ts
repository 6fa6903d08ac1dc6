export { loadGroup } from '@streaming-yao/group/node';
export { connectRouterKeepAlive } from './node-connection.ts';
export { type FileStorageOptions, fileStorage } from './node-file-storage.ts';
