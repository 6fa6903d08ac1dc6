import { equalBytes, fromHex, utf8, YaoError } from '@streaming-yao/core';
import type { Role } from '@streaming-yao/wire';
import type { RoleConfig } from './config.ts';
import { nativeHashing } from './hashing.ts';
import { bindingsOf } from './peer-bindings.ts';
import type { RoleEnvironment } from './role.ts';

export const METRICS_PATH = '/metrics';
export const READINESS_PATH = '/health/ready';
export const HEALTH_PATH = '/health';

/**
 * `MONITOR` is the SHA-256 of the token with which metrics and readiness are asked for, in hex: a role has no use for the token
 * itself. Where it is absent, nobody may ask.
 * @throws YaoError `config_invalid`
 */
export function readMonitor(role: Role, text: unknown): Uint8Array | undefined {
  if (text === undefined) return undefined;
  if (typeof text === 'string' && /^[0-9a-f]{64}$/.test(text)) return fromHex(text);
  throw new YaoError('config_invalid', `${role}: MONITOR is not a SHA-256 in 64 hexadecimal digits`, { party: 'operator' });
}

/** Whether a request carries the monitor's token. */
export function isMonitor(request: Request, { monitor }: RoleConfig): boolean {
  const authorization = request.headers.get('authorization') ?? '';
  if (!monitor || !authorization.startsWith('Bearer ')) return false;
  return equalBytes(nativeHashing.sha256(utf8(authorization.slice('Bearer '.length))), monitor);
}

const PEER_MS = 5_000;

/**
 * Asks for what the role cannot work without: the roles that it calls, and its database.
 * @throws YaoError `not_ready`, which names what does not answer
 */
export async function checkReadiness(config: RoleConfig, environment: RoleEnvironment): Promise<void> {
  const asked = Object.entries(bindingsOf(config, environment)).map(async ([name, binding]) => {
    const response = await binding.fetch(`http://${name}${HEALTH_PATH}`, { signal: AbortSignal.timeout(PEER_MS) });
    await response.text();
    if (!response.ok) throw new Error(name);
  });
  const database = environment.DB?.prepare('SELECT 1').all();
  const names = [...Object.keys(bindingsOf(config, environment)), 'database'];
  const outcomes = await Promise.allSettled([...asked, database]);
  const missing = names.filter((_, i) => outcomes[i]?.status === 'rejected');
  if (missing.length > 0)
    throw new YaoError('not_ready', `${missing.join(', ')} of ${config.role} does not answer; try again in a moment`);
}
