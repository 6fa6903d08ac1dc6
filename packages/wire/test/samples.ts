import type * as wire from '../src/index.ts';

/** Bytes that tell their place: `fill`, then counting up. */
const bytes = (length: number, fill: number): Uint8Array => Uint8Array.from({ length }, (_, i) => (fill + i) & 0xff);
const d = (fill: number) => bytes(32, fill);
const s = (fill: number) => bytes(64, fill);

const deployment = 'vectors';
const walletId = 'alice.1';
const profile = 'one-account';
const jws = 'aGVhZGVy.cGF5bG9hZA.c2lnbmF0dXJl';
const place = { walletId, keyIndex: 2, lane: 3 };

const pins: wire.Pins = { deployment, profile, router: d(1), deriverA: d(2), deriverB: d(3), signingWorker: d(4) };
const core: wire.Core = {
  suite: 'ed25519-sha512-halfgates-blake3',
  ...{ profile, deployment, circuitId: d(5), operation: 'recover', ...place, expectedEpoch: 0, registeredKey: d(6) },
  ...{ retireOtherLanes: true, authority: d(7), deriverAKeyId: 'a-1', deriverBKeyId: 'b-1', signingWorkerKeyId: 's-1' },
  ...{ clientNonce: d(8), issuedAtMs: 1_700_000_000_000, expiresAtMs: 1_700_000_300_000 },
  ...{ recipientKey: d(9), laneKey: d(10), requesterKey: d(11) },
};
const hpkeKey: wire.HpkeKey = {
  ...{ role: 'deriver-a', keyId: 'a-1', publicKey: d(12), notBeforeMs: 1, notAfterMs: 2, deployment, profile },
};
const signedHpkeKey = { statement: hpkeKey, signature: s(13) };
const credentials: wire.Credential[] = [
  { kind: 'ed25519', purpose: 'device', publicKey: d(14), label: 'phone' },
  { kind: 'p256', purpose: 'device', publicKey: bytes(65, 15), label: 'laptop' },
  { kind: 'passkey', purpose: 'device', publicKey: bytes(65, 16), label: 'パスキー', passkeyId: bytes(20, 17) },
];
const authority: wire.Authority = { deployment, walletId, version: 2, previous: d(18), credentials };
const bySignature: wire.CredentialProof = { credentialId: bytes(16, 19), evidence: { kind: 'signature', signature: s(20) } };
const byAssertion: wire.CredentialProof = {
  credentialId: bytes(16, 21),
  evidence: {
    kind: 'assertion',
    ...{ authenticatorData: bytes(37, 22), clientDataJson: bytes(50, 23), signature: bytes(70, 24), batch: [d(25), d(26)] },
  },
};
const signedAuthority = { authority, proof: byAssertion };
const authorization = { proof: bySignature, requesterSignature: s(27) };
const envelope = bytes(80, 28);
const ticket = { pairing: d(29), counter: 7 };
const pair = (fill: number) => ({ a: d(fill), b: d(fill + 1) });
const receipt: wire.Receipt = {
  ...{ core, ceremonyId: d(30), grant: d(31), ticket, garblerNonce: d(32), evaluatorNonce: d(33), transcript: d(34) },
  ...{ publicKey: d(35), commitments: { client: pair(36), signingWorker: pair(38) }, seedCommitments: null },
  ...{ clientPackages: pair(40), signingWorkerPackages: pair(42), atMs: 1_700_000_000_500 },
};
const signedReceipt = { payload: bytes(20, 44), signatureA: s(45), signatureB: s(46) };
const traffic = { aToB: 1_000, bToA: 2_000 };
const timeline: wire.Timeline = {
  ...{ role: 'router', startedAtMs: 5 },
  passages: [{ peer: 'deriver-a', direction: 'sent', message: 'call', bytes: 1_234, afterMs: 3 }],
};
const laneEpoch = { ...place, epoch: 4 };
const presign: wire.Presign = { presignId: d(47), hiding: d(48), binding: d(49), expiresAtMs: 9 };
const pairingContext: wire.PairingContext = { deployment, profile, shard: 1, issuedAtMs: 1, expiresAtMs: 2, tickets: 3 };
const session: wire.Session = {
  statement: { deployment, sessionKey: d(50), issuedAtMs: 1, expiresAtMs: 2 },
  proof: bySignature,
};
const bySession = { session, signature: s(51) };
const rootRecord: wire.WrappedRoot = { walletId, credentialId: bytes(16, 52), rootId: d(53), sealed: bytes(100, 54) };
const activation: wire.Activation = {
  ...{
    deployment,
    ceremonyId: d(55),
    ...laneEpoch,
    state: 'staged',
    publicKey: d(56),
    serverShare: d(57),
    laneKey: d(58),
    atMs: 1,
  },
};
const ceremonyAnswer: wire.CeremonyAnswer = {
  ...{ ceremonyId: d(59), receipt: signedReceipt, packageA: envelope, packageB: envelope, activation: jws, traffic },
  timelines: [timeline],
};
const updates = { authorization, authorityUpdates: [signedAuthority] };
const lanesAnswer = {
  asked: d(120),
  key: {
    publicKey: d(79),
    nextLane: 4,
    lanes: [{ lane: 3, epoch: 4, ceremonyId: d(80), laneKey: d(81), activatedAtMs: 1, name: 'Anna’s phone' }],
  },
  authority,
};
const nameStatement = { deployment, ...place, name: 'Anna’s phone', issuedAtMs: 1 };
const lanesStatement = { deployment, walletId, keyIndex: 2, issuedAtMs: 1 };

const deletion: wire.Deletion = {
  ...{ deployment, role: 'deriver-b', walletId, nonce: d(86), deleted: 3, left: 0, atMs: 1 },
};
const signedDeletion: wire.SignedDeletion = { statement: deletion, signature: s(88) };

const signingSession: wire.SigningSessionStatement = {
  ...{
    deployment,
    lane: laneEpoch,
    uses: 20,
    kinds: ['solana-transaction', 'text'],
    issuedAtMs: 1,
    expiresAtMs: 2,
    nonce: d(112),
  },
};
const signatureShare = {
  ...{ lane: laneEpoch, message: bytes(5, 127), hiding: d(128), binding: d(129) },
  ...{ preimage: bytes(6, 130), session: d(131), held: d(132), issuedAtMs: 1 },
};
const openSession: wire.SigningSession = { sessionId: d(113), uses: 20, usesLeft: 19, kinds: null, expiresAtMs: 2 };
const storeRoot: wire.StoreRoot = {
  statement: { deployment, record: rootRecord, credential: credentials[2] as wire.Credential, issuedAtMs: 1 },
  ...bySession,
};

/** A value of every message, by the name of its export. */
export const SAMPLES: { readonly [Name in MessageName]: Parameters<(typeof wire)[Name]['encode']>[0] } = {
  Abort: { code: 'busy' },
  Accept: { evaluatorNonce: d(60), choices: bytes(10, 61) },
  Activation: activation,
  ActivatedNotice: { walletId, activation: jws },
  ActivationAnswer: { activation: jws },
  ActivationCall: {
    core,
    envelopeA: d(62),
    envelopeB: d(63),
    ...updates,
    grant: jws,
    receipt: signedReceipt,
    packageA: envelope,
    packageB: envelope,
  },
  ActivationEvidence: { authority, activations: [jws] },
  ActivationInquiry: { walletId },
  AuditAnswer: { entries: [{ atMs: 1, event: 'register', ceremonyId: null, outcome: 'ok' }] },
  AuditExportAnswer: {
    entries: [
      { id: 1, entry: { atMs: 1, event: 'refresh', ceremonyId: null, outcome: 'busy' }, receipt: null },
      { id: 2, entry: { atMs: 2, event: 'register', ceremonyId: '0a'.repeat(32), outcome: 'ok' }, receipt: '{"payload":""}' },
    ],
  },
  AuditExportRequest: { statement: { deployment, walletId, after: 1, issuedAtMs: 2 }, signature: s(85) },
  AuditExportStatement: { deployment, walletId, after: 1, issuedAtMs: 2 },
  AuditRequest: { statement: { deployment, walletId, issuedAtMs: 1 }, ...bySession },
  AuditStatement: { deployment, walletId, issuedAtMs: 1 },
  Authority: authority,
  AuthorityAnswer: { version: 3 },
  AuthorityRequest: { update: signedAuthority },
  CallToken: { issuedAtMs: 1, signature: s(114) },
  Cancellation: { walletId, ceremonyId: d(64) },
  CeremonyAnswer: ceremonyAnswer,
  CeremonyHandle: { ceremonyId: d(65), follow: '/v1/ceremonies/follow' },
  CeremonyRequest: { core, envelopeA: envelope, envelopeB: envelope, ...updates, roots: [storeRoot], timeline: true },
  ChangeAuthority: { update: signedAuthority, roots: [storeRoot] },
  ClientRoot: { root: d(66), pins: d(67), keys: [{ keyIndex: 0, publicKey: d(68) }] },
  ConfirmAnswer: { outcome: { state: 'gone', signature: s(69) } },
  ConfirmRefusal: { asked: d(69) },
  ConfirmRequest: { statement: { deployment, ...place, ceremonyId: d(69), nonce: d(71) }, possession: s(70) },
  ConfirmStatement: { deployment, ...place, ceremonyId: d(69), nonce: d(71) },
  Core: core,
  Cosignature: { signature: s(71) },
  Credit: { frames: 4 },
  DeploymentFacts: {
    protocol: 'streaming-yao/1',
    deployment,
    profile,
    rpId: 'wallet.example',
    limits: {
      bodyBytes: 1,
      signedMessageBytes: 2,
      keysPerWallet: 3,
      lanesPerKey: 4,
      credentialsPerAuthority: 5,
      requestLifeMs: 6,
      clockSkewMs: 7,
    },
    keys: [signedHpkeKey, signedHpkeKey, signedHpkeKey],
  },
  DeleteRequest: { statement: { deployment, walletId, issuedAtMs: 1, nonce: d(86) }, signature: s(87) },
  DeleteStatement: { deployment, walletId, issuedAtMs: 1, nonce: d(86) },
  Deletion: deletion,
  DeletionsAnswer: { deletions: [signedDeletion, signedDeletion, signedDeletion, signedDeletion] },
  DeriverAnswer: {
    ceremonyId: d(72),
    receipt: signedReceipt.payload,
    signatureA: null,
    signatureB: signedReceipt.signatureB,
    clientPackage: envelope,
    signingWorkerPackage: null,
    traffic,
    timeline,
  },
  DeriverCall: { core, envelope, peerEnvelope: d(73), ...updates, grant: jws, signingWorkerKey: signedHpkeKey, timeline: false },
  FetchRoot: { statement: { deployment, walletId, issuedAtMs: 1 }, ...bySession },
  FetchRootAnswer: { record: rootRecord, authority },
  FetchRootStatement: { deployment, walletId, issuedAtMs: 1 },
  FollowAnswer: { operation: 'link', state: 'failed', answer: null, failure: 'ceremony_burned' },
  FollowRequest: { statement: { deployment, walletId, ceremonyId: d(74), issuedAtMs: 1 }, signature: s(75) },
  FollowStatement: { deployment, walletId, ceremonyId: d(74), issuedAtMs: 1 },
  Grant: {
    ceremonyId: d(76),
    core: d(77),
    circuitId: d(78),
    operation: 'export',
    walletId,
    deployment,
    profile,
    issuedAtMs: 1,
    expiresAtMs: 2,
  },
  HpkeKey: hpkeKey,
  KeysAnswer: { keys: [signedHpkeKey] },
  LanesAnswer: lanesAnswer,
  LanesRequest: { statement: lanesStatement, reader: { kind: 'lane', lane: 3, signature: s(82) } },
  LanesStatement: lanesStatement,
  NameAnswer: { lane: 3 },
  NameRequest: { statement: nameStatement, author: { kind: 'lane', signature: s(121) } },
  NameStatement: nameStatement,
  SignedLanes: { answer: lanesAnswer, signature: s(122) },
  Open: { ceremonyId: d(83), grant: d(84), operation: 'refresh', circuitId: d(85), ticket, rootVersion: 1, garblerNonce: d(86) },
  Output: {
    outputCiphertexts: bytes(32, 87),
    inputCiphertexts: null,
    commitments: { client: d(88), signingWorker: d(89) },
    seedCommitment: null,
    clientPackage: d(90),
    signingWorkerPackage: d(91),
  },
  PackageContext: {
    ceremonyId: d(92),
    operation: 'link',
    source: 'deriver-b',
    recipient: 'client',
    recipientKeyId: 'recipient',
    ...place,
    epoch: 1,
    profile,
  },
  PairingContext: pairingContext,
  PairingReply: { reply: bytes(96, 93), signature: s(94) },
  PairingRequest: { context: pairingContext, message: bytes(64, 95), signature: s(96) },
  PairingTranscript: { context: pairingContext, message: bytes(64, 95), reply: bytes(96, 93) },
  Pins: pins,
  PrepareAnswer: { presigns: [presign] },
  PrepareRequest: { statement: { lane: laneEpoch, count: 16, issuedAtMs: 1, nonce: d(97) }, signature: s(98) },
  PrepareStatement: { lane: laneEpoch, count: 16, issuedAtMs: 1, nonce: d(97) },
  Receipt: receipt,
  ReceiptOffer: { receipt: bytes(20, 99), signature: s(100) },
  RevokeAnswer: { lane: 3 },
  RevokeRequest: { statement: { deployment, ...place, issuedAtMs: 1, nonce: d(101) }, proof: byAssertion },
  RevokeStatement: { deployment, ...place, issuedAtMs: 1, nonce: d(101) },
  RoleCall: { kind: 'call', caller: 'router', audience: 'deriver-a', path: '/ceremony', body: d(115), issuedAtMs: 1 },
  SessionStatement: session.statement,
  SignatureShareAnswer: { hiding: d(123), binding: d(124), signatureShare: d(125), held: true, usesLeft: 7 },
  SignatureShareRequest: { statement: signatureShare, signature: s(126) },
  SignatureShareStatement: signatureShare,
  SignAnswer: { signature: s(102), presigns: [presign], usesLeft: 7 },
  SignRequest: {
    lane: laneEpoch,
    presignId: d(103),
    message: bytes(5, 104),
    preimage: bytes(6, 110),
    session: d(111),
    hiding: d(105),
    binding: d(106),
    signatureShare: d(107),
    wanted: 10,
    expiresAtMs: 1,
  },
  OpenSigningSession: { statement: signingSession, proof: bySignature },
  OpenSigningSessionAnswer: { session: openSession },
  SigningSessionStatement: signingSession,
  SigningSessionsAnswer: { sessions: [openSession] },
  SigningSessionsRequest: { statement: { deployment, lane: laneEpoch, close: d(114), issuedAtMs: 1 }, signature: s(115) },
  SigningSessionsStatement: { deployment, lane: laneEpoch, close: null, issuedAtMs: 1 },
  SignedAuthority: signedAuthority,
  SignedDeletion: signedDeletion,
  SignedHpkeKey: signedHpkeKey,
  StoreRoot: storeRoot,
  StoreRootAnswer: { stored: true },
  StoreRootStatement: storeRoot.statement,
  WrappedRoot: rootRecord,
  WrappedRootContext: { deployment, walletId, credentialId: bytes(16, 108), rootId: d(109) },
};

type MessageName = {
  [Name in keyof typeof wire]: (typeof wire)[Name] extends { readonly domain: string; encode(value: never): Uint8Array }
    ? Name
    : never;
}[keyof typeof wire];
