export * from './client.ts';
export * from './commitment-pool.ts';
export * from './frost.ts';
export { CLIENT, presignIdOf, SIGNING_WORKER } from './lane.ts';
export { kindOf } from './message-kind.ts';
export * from './presign-pool.ts';
