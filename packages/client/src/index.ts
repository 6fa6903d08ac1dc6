export {
  type DeviceKeys,
  type DevicePublicKeys,
  type KeyLanes,
  type LinkFacts,
  wipeDeviceKeys,
} from '@streaming-yao/ceremony/client';
export { type ErrorCode, YaoError } from '@streaming-yao/core';
export { type MessageKind, Pins, type SigningSession } from '@streaming-yao/wire';
export type { OpenSession } from './approval.ts';
export * from './credential.ts';
export type { DeviceOptions } from './device.ts';
export type { WalletEvent, WalletOperation } from './event.ts';
export * from './key-format.ts';
export * from './recovery-phrase.ts';
export { connectRouter, type RouterConnection } from './router-connection.ts';
export type { SessionExtent } from './signing-sessions.ts';
export type { Signed } from './stocked-signer.ts';
export { memoryStorage, type Storage } from './storage.ts';
export * from './wallet.ts';
