import { YaoError } from './error.ts';
import { LIMITS } from './limits.ts';

interface Bounds {
  readonly standard: number;
  readonly least: number;
  readonly most: number;
}

/**
 * What an operator may set at the start of a role, and within which bounds; units stand in the names. All roles of a deployment
 * are started with the same.
 */
export const SETTINGS = {
  /** One whole ceremony at a Deriver, from grant to receipt. */
  ceremonyDeadlineMs: { standard: 20_000, least: 500, most: 120_000 },
  /** Any other call of one role to another. */
  callDeadlineMs: { standard: 30_000, least: 500, most: 120_000 },
  /** How long a ceremony's record outlives its request's expiry, for clocks that are set back. */
  retentionMs: { standard: 60_000, least: 500, most: 86_400_000 },
  /** A new share waits this long at the SigningWorker for its device to confirm. */
  stagedLaneMs: { standard: 600_000, least: 500, most: 86_400_000 },
  /** A pairing of the Derivers is replaced before it has lived this long or given this many tickets. */
  pairingLifeMs: { standard: 86_400_000, least: 1_000, most: 7 * 86_400_000 },
  pairingTickets: { standard: 4_096, least: 2, most: 65_536 },
  /** How long the answer to a request with an idempotency key is kept. */
  idempotencyLifeMs: { standard: 86_400_000, least: 500, most: 7 * 86_400_000 },
  /** Life of a presign that is not used. */
  presignLifeMs: { standard: LIMITS.presignLifeMs, least: 10_000, most: LIMITS.presignLifeMs },
  /** Unspent presigns of a lane that the SigningWorker holds; when more are asked for, the oldest are burned. */
  heldPresigns: { standard: 64, least: LIMITS.presignsPerPrepare, most: 1_024 },
  /** Signatures of a lane that are kept for requests that come again. */
  rememberedAnswers: { standard: 64, least: 1, most: 1_024 },
  /** Uses of a signing session that are written off at once, at most: as many are on hand without a write before each signature. */
  sessionLeaseUses: { standard: 16, least: 1, most: 1_024 },
  /** Signing requests of one wallet that are taken in a minute. */
  signsPerMinute: { standard: 60_000, least: 1, most: 60_000 },
} as const satisfies Readonly<Record<string, Bounds>>;

export type Settings = { readonly [Name in keyof typeof SETTINGS]: number };

const NAMES = Object.keys(SETTINGS) as (keyof Settings)[];

export const STANDARD_SETTINGS = Object.fromEntries(NAMES.map((name) => [name, SETTINGS[name].standard])) as Settings;

/**
 * The standard settings with those changed that `changes` names.
 * @throws YaoError `config_invalid` for an unknown name, or a value that is not a whole number within its bounds
 */
export function readSettings(changes: unknown): Settings {
  if (typeof changes !== 'object' || changes === null || Array.isArray(changes)) throw invalid('are not a JSON object');
  for (const [name, value] of Object.entries(changes)) {
    const bounds = NAMES.includes(name as keyof Settings) ? SETTINGS[name as keyof Settings] : undefined;
    if (!bounds) throw invalid(`have no ${name.slice(0, 64)}; known are ${NAMES.join(', ')}`);
    if (!Number.isSafeInteger(value) || value < bounds.least || value > bounds.most) {
      throw invalid(`need a whole number from ${bounds.least} to ${bounds.most} as ${name}`);
    }
  }
  return { ...STANDARD_SETTINGS, ...changes };
}

function invalid(why: string): YaoError {
  return new YaoError('config_invalid', `the settings ${why}`, { party: 'operator' });
}
