/** Every limit of the protocol in one place; units stand in the names. */
export const LIMITS = {
  /** Largest HTTP body any role accepts. */
  bodyBytes: 64 * 1024,
  /** Largest WebSocket message between the Derivers, header included. */
  frameBytes: 64 * 1024,
  /** Table frames A may send before B has granted more. */
  creditFrames: 8,
  walletIdBytes: 64,
  /** Largest message that can be signed. */
  signedMessageBytes: 64 * 1024,
  /** Clock difference tolerated between client and roles. */
  clockSkewMs: 30_000,
  /** Longest life of a request, from issue to expiry. */
  requestLifeMs: 300_000,
  /** Oldest authorization an export accepts, by the role's own clock. */
  exportAuthorizationMs: 60_000,
  /** One whole ceremony at a Deriver, from grant to receipt. */
  ceremonyDeadlineMs: 20_000,
  /** Life of the Router's token for one call to another role. */
  callTokenLifeMs: 30_000,
  liveCeremonies: 64,
  credentialsPerAuthority: 16,
  lanesPerKey: 16,
  presignsPerPrepare: 16,
  presignLifeMs: 300_000,
} as const;
