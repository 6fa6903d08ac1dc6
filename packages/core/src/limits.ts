/** Every fixed limit of the protocol in one place; units stand in the names. What an operator may set is in settings.ts. */
export const LIMITS = {
  /** Largest HTTP body any role accepts. */
  bodyBytes: 64 * 1024,
  /** Largest answer that a role takes from another operator's role. */
  answerBytes: 1024 * 1024,
  /** How much of a refused body is read, so that the connection stays usable. */
  drainedBodyBytes: 4 * 1024 * 1024,
  /** Programs that one object runs at once. */
  concurrentRequests: 256,
  /** Largest WebSocket message between the Derivers, header included. */
  frameBytes: 64 * 1024,
  /** Largest opening of a stream between the Derivers, which travels in a header of the request for it. */
  openingBytes: 512,
  /** Table frames A may send before B has granted more: a whole activation, or the distance to B would count several times. */
  creditFrames: 28,
  /** Frames after which B grants as many more: seldom, since each grant costs both Derivers as much as a frame of tables. */
  creditStepFrames: 12,
  /** Table frames that A sends in one turn of its event loop, and B evaluates together. */
  turnFrames: 4,
  /** Frames that may have arrived unasked-for: the credit, and the messages around the tables. */
  inboundFrames: 36,
  walletIdBytes: 64,
  /** Largest message that can be signed. */
  signedMessageBytes: 64 * 1024,
  /** Largest HTTP body of a signing request: the message in base64url and 4 KiB around it. */
  signBodyBytes: 92 * 1024,
  /** Clock difference tolerated between client and roles. */
  clockSkewMs: 30_000,
  /** Longest life of a request, from issue to expiry. */
  requestLifeMs: 300_000,
  /** Oldest authorization an export accepts, by the role's own clock. */
  exportAuthorizationMs: 60_000,
  /** Life of the Router's token for one call to another role. */
  callTokenLifeMs: 30_000,
  /** Pairings that a Deriver's object keeps at once: more than are made side by side, or one would go while its tickets travel. */
  livePairings: 64,
  liveCeremonies: 64,
  credentialsPerAuthority: 16,
  /** Oldest token of an app's backend. */
  appTokenLifeMs: 3_600_000,
  /** Longest time for which a credential lets a session key read and store what is its own. */
  sessionLifeMs: 300_000,
  /** Statements that one answer of an authenticator can cover. */
  assertedStatements: 4,
  /** Registrations of a wallet that a Deriver remembers until it hears which of them live. */
  pendingKeys: 64,
  lanesPerKey: 16,
  keysPerWallet: 16,
  /** Entries of a wallet's audit trail in one answer. */
  auditEntries: 200,
  /** Messages that a role notes of one ceremony, when the client asks for it. */
  timelinePassages: 160,
  /** Longest life of a signing session, from issue to expiry: what a restored backup could bring back is over by then. */
  signingSessionLifeMs: 3_600_000,
  /** Most signatures that a signing session can be for. */
  signingSessionUses: 100_000,
  /** Signing sessions of one lane, those included that were closed and have not expired yet. */
  signingSessionsPerLane: 32,
  presignsPerPrepare: 16,
  presignLifeMs: 300_000,
} as const;
