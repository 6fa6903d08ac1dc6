export { type ErrorCode, YaoError } from '@streaming-yao/core';
export * from './credential.ts';
export type { DeviceOptions } from './device.ts';
export * from './key-format.ts';
export * from './recovery-phrase.ts';
export { connectRouter, type RouterConnection } from './router-connection.ts';
export { memoryStorage, type Storage } from './storage.ts';
export * from './wallet.ts';
