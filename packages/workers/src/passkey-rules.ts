import type { PasskeyRules } from '@streaming-yao/ceremony/role';
import { YaoError } from '@streaming-yao/core';
import type { Role } from '@streaming-yao/wire';

const DOMAIN = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

/**
 * Reads `PASSKEYS`: JSON like `{"rpId": "wallet.example", "origins": ["https://wallet.example"]}`; absent where the deployment
 * takes no passkeys. Each role has its own copy, since none believes another about who may authorize.
 * @throws YaoError `config_invalid`
 */
export function readPasskeyRules(role: Role, text: unknown): PasskeyRules | undefined {
  if (text === undefined) return undefined;
  const refuse = (why: string): never => {
    throw new YaoError('config_invalid', `${role}: PASSKEYS ${why}`, { party: 'operator' });
  };
  let read: Partial<PasskeyRules> | null;
  try {
    read = JSON.parse(String(text)) as Partial<PasskeyRules> | null;
  } catch {
    return refuse('is not JSON');
  }
  const { rpId, origins } = read ?? {};
  if (typeof rpId !== 'string' || rpId.length > 253 || !DOMAIN.test(rpId)) return refuse('names no rpId, which is a domain');
  if (!Array.isArray(origins) || origins.length === 0) return refuse('names no origins');
  for (const origin of origins) {
    if (!isOriginOf(rpId, origin)) refuse(`has an origin that is not https://${rpId} or a subdomain of it: ${String(origin)}`);
  }
  return { rpId, origins };
}

/** Passkeys work on https, and on this machine without (Secure Contexts, section 3.1). */
function isOriginOf(rpId: string, origin: unknown): boolean {
  if (typeof origin !== 'string' || !URL.canParse(origin)) return false;
  const { protocol, hostname, origin: exact } = new URL(origin);
  const secure = protocol === 'https:' || (protocol === 'http:' && hostname === 'localhost');
  return exact === origin && secure && (hostname === rpId || hostname.endsWith(`.${rpId}`));
}
