import type { Handler, RoleSurroundings } from '@streaming-yao/ceremony/role';
import { utf8, YaoError } from '@streaming-yao/core';
import type { RoleConfig } from './config.ts';
import { nativeHashing } from './hashing.ts';

/**
 * The objects that answer a request; none where the Worker itself does. Ceremonies share a fixed number of objects, chosen
 * by hash, since an object leaves a file for ever; Deriver A's object n talks to Deriver B's object n. The SigningWorker
 * keeps a wallet's lanes together in an object of their own, which can be erased as a whole.
 * @throws YaoError `invalid_request` when the request names an object that this deployment does not have
 */
export function objectNames<S extends RoleSurroundings>(
  handler: Handler<S>,
  body: unknown,
  config: RoleConfig,
): readonly string[] {
  if (handler.internal !== undefined) return [handler.internal];
  if (handler.wallet) return [objectOfWallet(handler.wallet(body), config)];
  if (handler.shard) return [shardName(handler.shard(body), config)];
  if (!handler.everyObject) return [];
  return Array.from({ length: config.shardCount }, (_, shard) => shardName(shard, config));
}

export function objectOfWallet(wallet: string, config: RoleConfig): string {
  if (config.role === 'signing-worker') return `wallet-${wallet}`;
  return shardName(new DataView(nativeHashing.sha256(utf8(wallet)).buffer).getUint32(0) % config.shardCount, config);
}

export function shardName(shard: number, { shardCount }: RoleConfig): string {
  if (shard >= 0 && shard < shardCount) return `shard-${shard}`;
  throw new YaoError('invalid_request', `there is no object ${shard}; all roles need one SHARD_COUNT`, { party: 'operator' });
}

/** The number in a name made by {@link shardName}; 0 for other objects. */
export function shardOfName(name: string | undefined): number {
  return Number(/^shard-(\d+)$/.exec(name ?? '')?.[1] ?? 0);
}
