import { LIMITS, SecretBytes, YaoError } from '@streaming-yao/core';
import type { Group } from '@streaming-yao/group';
import { type CredentialProof, type Pins, type Session, SessionStatement } from '@streaming-yao/wire';
import type { Credential } from './credential.ts';

/** What the user has approved of for a few minutes: reading and storing what belongs to the credential. */
export interface OpenSession {
  readonly session: Session;
  /** Ed25519 seed of the session's key. */
  readonly seed: SecretBytes;
  readonly wrappingKey: SecretBytes;
}

export interface ApprovalParts {
  readonly group: Group;
  readonly pins: Pins;
  readonly now: () => number;
  readonly random: (length: number) => Uint8Array;
}

/** A session that ends sooner is not begun to be used. */
const REMAINING_MS = 60_000;

/** Asks the user as seldom as it can: whatever is asked for, a session is opened with the same answer. */
export class Approval {
  readonly credential: Credential;
  readonly #parts: ApprovalParts;
  #open: OpenSession | undefined;

  constructor(credential: Credential, parts: ApprovalParts, open?: OpenSession) {
    this.credential = credential;
    this.#parts = parts;
    this.#open = open;
  }

  /** Has the credential approve of `statement`: always a question of its own, where there is a user to ask. */
  async prove(statement: Uint8Array): Promise<CredentialProof> {
    const [proof] = this.#live() ? await this.#ask([statement]) : await this.#askWithSession([statement]);
    if (proof) return proof;
    throw new YaoError('internal', 'a credential gave no proof');
  }

  async session(): Promise<OpenSession> {
    if (!this.#live()) await this.#askWithSession([]);
    return this.current();
  }

  /** The session that the last question opened. @throws YaoError `unlock_failed` without one */
  current(): OpenSession {
    const open = this.#live();
    if (open) return open;
    throw new YaoError('unlock_failed', 'nothing is unlocked; ask the user first', { party: 'client' });
  }

  get isOpen(): boolean {
    return this.#live() !== undefined;
  }

  /** Forgets what the user has unlocked. */
  lock(): void {
    this.#open?.seed.wipe();
    this.#open?.wrappingKey.wipe();
    this.#open = undefined;
  }

  #live(): OpenSession | undefined {
    const { now } = this.#parts;
    if (this.#open && this.#open.session.statement.expiresAtMs < now() + REMAINING_MS) this.lock();
    return this.#open;
  }

  async #ask(statements: readonly Uint8Array[]): Promise<readonly CredentialProof[]> {
    const { proofs, wrappingKey } = await this.credential.prove(statements);
    wrappingKey.wipe();
    return proofs;
  }

  async #askWithSession(statements: readonly Uint8Array[]): Promise<readonly CredentialProof[]> {
    const { proofs, opened } = await openSession(this.credential, this.#parts, statements);
    this.lock();
    this.#open = opened;
    return proofs;
  }
}

/** Opens a session of `credential` with the same answer that approves of `statements`. */
export async function openSession(
  credential: Pick<Credential, 'prove'>,
  { group, pins, now, random }: ApprovalParts,
  statements: readonly Uint8Array[] = [],
): Promise<{ readonly opened: OpenSession; readonly proofs: readonly CredentialProof[] }> {
  const seed = SecretBytes.own(random(32));
  const issuedAtMs = now();
  const statement = {
    deployment: pins.deployment,
    sessionKey: group.ed25519PublicKey(seed),
    issuedAtMs,
    expiresAtMs: issuedAtMs + LIMITS.sessionLifeMs,
  };
  const { proofs, wrappingKey } = await credential.prove([SessionStatement.encode(statement), ...statements]);
  const [proof, ...others] = proofs;
  if (!proof) throw new YaoError('internal', 'a credential gave no proof');
  return { opened: { session: { statement, proof }, seed, wrappingKey }, proofs: others };
}

/** What a request carries beside a statement that the session's key signs. */
export function bySession(group: Group, { session, seed }: OpenSession, statement: Uint8Array) {
  return { session, signature: group.signEd25519(seed, statement) };
}
