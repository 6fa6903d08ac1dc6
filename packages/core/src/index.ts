export * from './binary.ts';
export * from './bytes.ts';
export * from './earlier-version.ts';
export * from './error.ts';
export * from './limits.ts';
export type { Codec, Infer, Json, Message } from './schema.ts';
export * as schema from './schema.ts';
export * from './secret-bytes.ts';
export * from './settings.ts';
