/** Who caused an error. */
export const PARTIES = ['client', 'router', 'deriver-a', 'deriver-b', 'signing-worker', 'operator'] as const;
export type Party = (typeof PARTIES)[number];

interface CodeFacts {
  /** Status of the HTTP answer that carries the code. */
  readonly status: number;
  /** Whether the same intention, tried again, can succeed without anybody changing anything. */
  readonly retryable: boolean;
}

const refused = (status: number): CodeFacts => ({ status, retryable: false });
const passing = (status: number): CodeFacts => ({ status, retryable: true });

/** The closed list of error codes. `docs/errors.md` explains each; a test keeps both in step. */
export const ERROR_CODES = {
  app_token_invalid: refused(401),
  approval_declined: refused(403),
  authority_mismatch: refused(409),
  authorization_expired: refused(403),
  authorization_invalid: refused(403),
  budget_exhausted: refused(403),
  busy: passing(503),
  ceremony_burned: passing(409),
  ceremony_expired: passing(410),
  ceremony_unknown: refused(404),
  circuit_invalid: refused(400),
  circuit_mismatch: refused(409),
  commitment_mismatch: refused(502),
  config_invalid: refused(500),
  deadline_exceeded: passing(504),
  envelope_rejected: refused(400),
  epoch_conflict: passing(409),
  epoch_mismatch: refused(409),
  epoch_retired: refused(410),
  frame_invalid: passing(502),
  grant_invalid: refused(401),
  idempotency_mismatch: refused(409),
  internal: passing(500),
  invalid_json: refused(400),
  invalid_length: refused(400),
  invalid_point: refused(400),
  invalid_request: refused(400),
  invalid_scalar: refused(400),
  invalid_signature_share: refused(403),
  key_exists: refused(409),
  key_mismatch: refused(409),
  key_statement_invalid: refused(401),
  kind_refused: refused(403),
  lane_unknown: refused(404),
  nonce_replayed: refused(409),
  not_admitted: refused(403),
  not_ready: passing(503),
  ot_check_failed: passing(502),
  package_rejected: refused(502),
  pairing_invalid: passing(409),
  payload_too_large: refused(413),
  peer_failed: passing(502),
  presign_spent: passing(409),
  prf_unavailable: refused(400),
  public_key_mismatch: refused(409),
  rate_limited: passing(429),
  receipt_invalid: refused(502),
  request_expired: refused(400),
  request_mismatch: refused(409),
  root_exists: refused(409),
  secret_wiped: refused(500),
  session_required: refused(403),
  session_unknown: refused(404),
  ticket_spent: passing(409),
  unknown_field: refused(400),
  unknown_format: refused(400),
  unknown_operation: refused(400),
  unknown_route: refused(404),
  unknown_wallet: refused(404),
  unlock_failed: refused(403),
  unsupported_media_type: refused(415),
  unsupported_method: refused(405),
} as const satisfies Record<string, CodeFacts>;

/** One of {@link ERROR_CODES}. */
export type ErrorCode = keyof typeof ERROR_CODES;

export interface YaoErrorDetails {
  /** Who caused it, where that is known. */
  readonly party?: Party;
  /** Lower-case hex of the ceremony it happened in. */
  readonly ceremonyId?: string;
  /** When trying again can help, from now. */
  readonly retryAfterMs?: number;
}

/**
 * The one error class. `message` is a sentence for a developer that says what to do next and never holds a secret.
 *
 * ```ts
 * try { return await wallet.sign(message) } catch (error) {
 *   if (!(error instanceof YaoError && error.code === 'budget_exhausted')) throw error;
 *   await wallet.openSession({ uses: 20, minutes: 15 });
 *   return await wallet.sign(message);
 * }
 * ```
 */
export class YaoError extends Error {
  override readonly name = 'YaoError';
  readonly code: ErrorCode;
  readonly party: Party | undefined;
  readonly ceremonyId: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, details: YaoErrorDetails = {}) {
    super(message);
    this.code = code;
    this.party = details.party;
    this.ceremonyId = details.ceremonyId;
    this.retryAfterMs = details.retryAfterMs;
  }

  get retryable(): boolean {
    return ERROR_CODES[this.code].retryable;
  }

  get status(): number {
    return ERROR_CODES[this.code].status;
  }

  /** The same error, placed in a ceremony or laid at a party's door where neither was known yet. */
  within(details: YaoErrorDetails): YaoError {
    const party = this.party ?? details.party;
    const ceremonyId = this.ceremonyId ?? details.ceremonyId;
    const retryAfterMs = this.retryAfterMs ?? details.retryAfterMs;
    return new YaoError(this.code, this.message, {
      ...(party && { party }),
      ...(ceremonyId && { ceremonyId }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  }
}

/** What crosses HTTP for an error: `{"error": {code, message, retryable, party?, ceremonyId?, retryAfterMs?}}`. */
export interface ErrorBody {
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly retryable: boolean;
    readonly party?: Party;
    readonly ceremonyId?: string;
    readonly retryAfterMs?: number;
  };
}

/** @returns the JSON body for `error`; anything but a YaoError becomes `internal` and keeps its message to itself. */
export function errorBody(error: unknown): ErrorBody {
  const known =
    error instanceof YaoError
      ? error
      : new YaoError('internal', 'an unexpected fault; try again, and tell the operator if it stays');
  const { code, message, retryable, party, ceremonyId, retryAfterMs } = known;
  return {
    error: {
      ...{ code, message, retryable },
      ...(party && { party }),
      ...(ceremonyId && { ceremonyId }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    },
  };
}

/** Reads an error answer of another role; what is not one becomes `peer_failed`. */
export function errorFromBody(body: unknown, party: Party): YaoError {
  const error = (body as Partial<ErrorBody> | null)?.error;
  if (error && typeof error.message === 'string' && Object.hasOwn(ERROR_CODES, error.code)) {
    return new YaoError(error.code, error.message.slice(0, 500), {
      party: PARTIES.find((known) => known === error.party) ?? party,
      ...(typeof error.ceremonyId === 'string' && { ceremonyId: error.ceremonyId.slice(0, 64) }),
      ...(Number.isSafeInteger(error.retryAfterMs) && { retryAfterMs: error.retryAfterMs as number }),
    });
  }
  return new YaoError('peer_failed', `${party} gave an answer that is not of this protocol`, { party });
}
