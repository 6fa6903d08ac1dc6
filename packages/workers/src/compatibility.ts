/** What every role's Worker is run with, here and on Cloudflare. */
export const COMPATIBILITY = { date: '2026-07-30', flags: ['nodejs_compat'] } as const;
