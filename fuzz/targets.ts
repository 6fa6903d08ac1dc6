import type { Target } from './target.ts';

const texts = () => import('./targets/texts.ts');
const messages = () => import('./targets/messages.ts');
const sessions = () => import('./targets/sessions.ts');

/** Each loaded when it is asked for: the less code is there, the faster its coverage is read. */
const LOADERS: Readonly<Record<string, () => Promise<Target>>> = {
  'wire-binary': async () => (await messages()).binaryTarget(),
  'wire-json': async () => (await messages()).jsonTarget,
  base64url: async () => (await texts()).base64Target,
  'compact-jws': async () => (await texts()).grantTarget,
  frame: async () => (await texts()).frameTarget,
  'error-body': async () => (await texts()).errorBodyTarget,
  'link-code': async () => (await texts()).linkCodeTarget,
  'key-formats': async () => (await texts()).keyFormatTarget,
  'message-kind': async () => (await import('./targets/kinds.ts')).kindTarget,
  config: async () => (await import('./targets/config.ts')).configTarget,
  bristol: async () => (await import('./targets/circuits.ts')).bristolTarget,
  pairing: async () => (await sessions()).pairingTarget,
  sessions: async () => (await sessions()).sessionsTarget,
  link: async () => (await import('./targets/link.ts')).linkTarget(),
};

export const TARGET_NAMES = Object.keys(LOADERS);

/** @throws TypeError for an unknown name */
export function loadTarget(name: string): Promise<Target> {
  const load = LOADERS[name];
  if (!load) throw new TypeError(`there is no target "${name}"; known are ${TARGET_NAMES.join(', ')}`);
  return load();
}
