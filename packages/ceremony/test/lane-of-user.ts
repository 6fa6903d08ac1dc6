import { ed25519 } from '@noble/curves/ed25519.js';
import {
  type Authority,
  idOfCredential,
  OpenSigningSession,
  OpenSigningSessionAnswer,
  type SigningSession,
  SigningSessionStatement,
  SigningSessionsAnswer,
  SigningSessionsRequest,
  SigningSessionsStatement,
} from '@streaming-yao/wire';
import { laneOfTwo, message } from './lane-of-two.ts';
import { lane, random } from './signing-worker-alone.ts';

const HOUR_MS = 3_600_000;

export function newCredential() {
  const seed = random(32);
  const credential = { kind: 'ed25519', purpose: 'device', publicKey: ed25519.getPublicKey(seed), label: '' } as const;
  const prove = (statement: Uint8Array) => ({
    credentialId: idOfCredential(credential),
    evidence: { kind: 'signature', signature: ed25519.sign(statement, seed) } as const,
  });
  return { credential, prove };
}

/** A lane of a wallet with two credentials, of which the first one opens sessions. */
export function laneOfUser(policy?: Parameters<typeof laneOfTwo>[0]) {
  const ours = laneOfTwo(policy);
  const { worker, byLane } = ours;
  const [owner, other] = [newCredential(), newCredential()];
  const credentials = [owner.credential, other.credential];
  const authority: Authority = { deployment: 'test', walletId: lane.walletId, version: 1, previous: null, credentials };
  worker.belongTo(authority);
  const opening = (changes: Partial<SigningSessionStatement> = {}, by = owner) => {
    const statement: SigningSessionStatement = {
      ...{ deployment: 'test', lane, uses: 3, kinds: null, issuedAtMs: worker.nowMs, expiresAtMs: worker.nowMs + HOUR_MS },
      nonce: random(32),
      ...changes,
    };
    return OpenSigningSession.toJson({ statement, proof: by.prove(SigningSessionStatement.encode(statement)) });
  };
  const ask = async (body: unknown): Promise<SigningSession> =>
    OpenSigningSessionAnswer.fromJson(await worker.ask('/sessions/open', body)).session;
  const open = (changes?: Partial<SigningSessionStatement>) => ask(opening(changes));
  const list = async (close: Uint8Array | null = null) => {
    const statement = { deployment: 'test', lane, close, issuedAtMs: worker.nowMs };
    const signature = byLane(SigningSessionsStatement.encode(statement));
    const answer = await worker.ask('/sessions', SigningSessionsRequest.toJson({ statement, signature }));
    return SigningSessionsAnswer.fromJson(answer).sessions;
  };
  /** Signs once in a session, with a presign of its own. @returns uses left, or the error's code */
  const use = async ({ sessionId }: Pick<SigningSession, 'sessionId'>, signed = message): Promise<unknown> => {
    await ours.prepare();
    return ours.sign(ours.request({ session: sessionId, message: signed })).then(
      ({ usesLeft }) => usesLeft,
      (error: { code: string }) => error.code,
    );
  };
  return { ...ours, authority, owner, other, opening, ask, open, list, use };
}
