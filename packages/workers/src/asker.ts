import type { Asker, Concern } from '@streaming-yao/ceremony/role';
import type { Admission } from './admission-config.ts';
import { checkAppToken } from './app-token.ts';

/** The platform's own statement of where a connection came from; nobody outside can set it on Cloudflare. */
const ADDRESS_HEADER = 'cf-connecting-ip';

/** Whole networks count as one asker in IPv6, where a household has 2^64 addresses. */
function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : new Array<string>(Math.max(0, 8 - groups.length - last.length)).fill('0');
  return `${[...groups, ...zeros, ...last]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}

/**
 * Who asks the Router. A token of an app is looked at where it can make a difference.
 * @param about tells the wallet that the request is about
 * @throws YaoError `app_token_invalid`
 */
export async function askerOf(request: Request, admission: Admission, concern: Concern, about: () => string): Promise<Asker> {
  const address = request.headers.get(ADDRESS_HEADER);
  const token = request.headers.get('authorization');
  const { accept, limits } = admission.rules;
  const matters = admission.apps.length > 0 && (concern in accept || limits[concern]?.identity !== undefined);
  return {
    ...(address !== null && { address: networkOf(address) }),
    ...(token !== null && matters && { identity: await checkAppToken(admission, token, about, Date.now()) }),
  };
}
