import type { Effect } from '@streaming-yao/ceremony/program';
import { toHex } from '@streaming-yao/core';
import {
  PrepareAnswer,
  type Presign,
  SignAnswer,
  SignatureShareAnswer,
  SignatureShareRequest,
  SignatureShareStatement,
  SignRequest,
} from '@streaming-yao/wire';
import type { Actor } from '../actor.ts';
import { type Exchange, type Observer, Violation } from '../observer.ts';

/** Nonces of both signers are used once: no commitment twice, no presign for two signatures, no two signatures under one R. */
export class NoncesUsedOnce implements Observer {
  /** Presign ids, and requests for a share, by the SigningWorker's commitments. */
  readonly #offered = new Map<string, string>();
  /** Requests by the client's commitments. */
  readonly #committed = new Map<string, string>();
  /** Signatures by presign id, and by R. */
  readonly #signed = new Map<string, string>();

  exchanged({ role, path, request, answer }: Exchange): void {
    if (role !== 'signing-worker' || answer === undefined) return;
    if (path === '/sign/prepare') this.#offer(PrepareAnswer.fromJson(answer).presigns);
    if (path === '/sign/share') this.#give(request, SignatureShareAnswer.fromJson(answer));
    if (path !== '/sign') return;
    const { signature, presigns } = SignAnswer.fromJson(answer);
    const { presignId } = SignRequest.fromJson(request);
    this.#once(this.#signed, `presign ${toHex(presignId)}`, toHex(signature), 'signatures');
    this.#once(this.#signed, `nonce ${toHex(signature.subarray(0, 32))}`, toHex(signature), 'signatures');
    this.#offer(presigns);
  }

  performing(actor: Actor, effect: Effect): void {
    if (actor.role !== 'client' || effect.kind !== 'ask') return;
    if (effect.path === '/router-ab/ed25519/sign') this.#commit(SignRequest.fromJson(effect.body), effect.body);
    if (effect.path === '/router-ab/ed25519/sign/share') {
      this.#commit(SignatureShareRequest.fromJson(effect.body).statement, effect.body);
    }
  }

  #commit({ hiding, binding }: Pick<SignRequest, 'hiding' | 'binding'>, body: unknown): void {
    const request = JSON.stringify(body);
    for (const commitment of [hiding, binding]) this.#once(this.#committed, toHex(commitment), request, 'requests');
  }

  #give(request: unknown, { hiding, binding }: SignatureShareAnswer): void {
    const asked = toHex(SignatureShareStatement.digest(SignatureShareRequest.fromJson(request).statement));
    for (const commitment of [hiding, binding]) this.#once(this.#offered, toHex(commitment), asked, 'presigns');
  }

  #offer(presigns: readonly Presign[]): void {
    for (const { presignId, hiding, binding } of presigns) {
      for (const commitment of [hiding, binding]) this.#once(this.#offered, toHex(commitment), toHex(presignId), 'presigns');
    }
  }

  #once(known: Map<string, string>, name: string, use: string, what: string): void {
    const other = known.get(name);
    if (other !== undefined && other !== use) throw new Violation('nonces', `two ${what} under ${name}`);
    known.set(name, use);
  }
}
