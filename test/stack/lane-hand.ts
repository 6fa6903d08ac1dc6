import { ed25519 } from '@noble/curves/ed25519.js';
import type { SecretBytes } from '@streaming-yao/core';
import { CommitmentPool, clientSign, completeSignature, drawNonces, type WorkerCommitments } from '@streaming-yao/signing';
import {
  PrepareAnswer,
  PrepareRequest,
  PrepareStatement,
  SignAnswer,
  SignatureShareAnswer,
  SignatureShareRequest,
  SignatureShareStatement,
  SignRequest,
} from '@streaming-yao/wire';
import type { RegisteredKey } from './ceremonies.ts';
import { group, random } from './device.ts';

/** What a hit's request asks, as it travels. */
export type SignBody = ReturnType<typeof SignRequest.toJson>;

/** What a request without a presign asks; of its answers one can be completed. */
export interface ShareAsked {
  readonly body: ReturnType<typeof SignatureShareRequest.toJson>;
  complete(given: SignatureShareAnswer): Uint8Array;
}

/** Signs with a lane by hand, request by request, so that a test can send them as no wallet would. */
export class LaneByHand {
  readonly #key: RegisteredKey;
  readonly #name;
  readonly publicKey: Uint8Array;

  constructor(key: RegisteredKey) {
    const { walletId, keyIndex, lane, epoch, publicKey } = key.lane;
    this.#key = key;
    this.#name = { walletId, keyIndex, lane, epoch };
    this.publicKey = publicKey;
  }

  async prepare(count: number): Promise<readonly WorkerCommitments[]> {
    const statement = { lane: this.#name, count, issuedAtMs: Date.now(), nonce: random(32) };
    const signature = this.#key.lane.laneSeed.use((seed) => ed25519.sign(PrepareStatement.encode(statement), seed));
    const { router } = this.#key.device;
    const answer = await router('/router-ab/ed25519/sign/prepare', PrepareRequest.toJson({ statement, signature }));
    const stock = new CommitmentPool(group, this.#name);
    for (const presign of PrepareAnswer.fromJson(answer).presigns) stock.takeIn(presign, Date.now());
    return Array.from({ length: count }, () => {
      const taken = stock.take(Date.now());
      if (!taken) throw new Error('fewer presigns than asked for');
      return taken;
    });
  }

  /** A request under client nonces of its own. */
  request(workerCommitments: WorkerCommitments, message: Uint8Array, share: SecretBytes = this.#key.lane.share): SignBody {
    const part = clientSign({ group, share, groupPublicKey: this.publicKey, workerCommitments, message, random });
    return SignRequest.toJson({
      lane: this.#name,
      ...part,
      message,
      preimage: null,
      session: null,
      wanted: 0,
      expiresAtMs: Date.now() + 60_000,
    });
  }

  async send(body: SignBody): Promise<Uint8Array> {
    return SignAnswer.fromJson(await this.#key.device.router('/router-ab/ed25519/sign', body)).signature;
  }

  /** A request that needs no presign. */
  shareRequest(message: Uint8Array, epoch = this.#name.epoch): ShareAsked {
    const { share, laneSeed } = this.#key.lane;
    const nonces = drawNonces(group, share, random);
    const [hiding, binding] = [nonces.commitments.hiding.encoded, nonces.commitments.binding.encoded];
    const said = { message, hiding, binding, preimage: null, session: null, held: null, issuedAtMs: Date.now() };
    const statement = { lane: { ...this.#name, epoch }, ...said };
    const signature = laneSeed.use((seed) => ed25519.sign(SignatureShareStatement.encode(statement), seed));
    const groupPublicKey = group.decodePoint(this.publicKey);
    return {
      body: SignatureShareRequest.toJson({ statement, signature }),
      complete: (given) => completeSignature({ group, share, groupPublicKey, message, nonces, given }),
    };
  }

  async askShare({ body }: Pick<ShareAsked, 'body'>): Promise<SignatureShareAnswer> {
    return SignatureShareAnswer.fromJson(await this.#key.device.router('/router-ab/ed25519/sign/share', body));
  }
}
