import { ask, signWith } from '@streaming-yao/ceremony/program';
import type { Json } from '@streaming-yao/core';
import {
  type MessageKind,
  OpenSigningSession,
  OpenSigningSessionAnswer,
  type SigningSession,
  SigningSessionStatement,
  SigningSessionsAnswer,
  SigningSessionsRequest,
  SigningSessionsStatement,
} from '@streaming-yao/wire';
import type { Device } from './device.ts';
import { laneEpochOf } from './signer.ts';

/** What the user is asked to approve of. */
export interface SessionExtent {
  /** How many signatures. */
  readonly uses: number;
  /** For how long. */
  readonly minutes: number;
  /** Of which kinds; all that the deployment signs where absent. */
  readonly kinds?: readonly MessageKind[] | undefined;
}

/** Budgets of signatures that a credential approves of at once, each for one key's lane on this device. */
export class SigningSessions {
  readonly #device: Device;
  /** What the next signatures count in, by key index. */
  readonly #current = new Map<number, Uint8Array>();

  constructor(device: Device) {
    this.#device = device;
  }

  /** The session that was opened last and not closed: one that has ended meanwhile is for the SigningWorker to refuse. */
  current(keyIndex: number): Uint8Array | undefined {
    return this.#current.get(keyIndex);
  }

  async open(keyIndex: number, { uses, minutes, kinds }: SessionExtent): Promise<SigningSession> {
    const { surroundings, options, approval } = this.#device;
    const issuedAtMs = surroundings.now();
    const statement: SigningSessionStatement = {
      deployment: options.pins.deployment,
      lane: laneEpochOf(await this.#device.lane(keyIndex)),
      uses,
      kinds: kinds ?? null,
      issuedAtMs,
      expiresAtMs: issuedAtMs + Math.round(minutes * 60_000),
      nonce: surroundings.random(32),
    };
    const proof = await approval.prove(SigningSessionStatement.encode(statement));
    const answer = await this.#ask('/v1/sessions/open', OpenSigningSession.toJson({ statement, proof }));
    const { session } = OpenSigningSessionAnswer.fromJson(answer);
    this.#current.set(keyIndex, session.sessionId);
    return session;
  }

  /** Asks with the lane key, so that no user has to be there. @param close the session to close first */
  async list(keyIndex: number, close?: Uint8Array): Promise<readonly SigningSession[]> {
    const { surroundings, options } = this.#device;
    const request = await this.#device.useLane(keyIndex, async (lane) => {
      const issuedAtMs = surroundings.now();
      const statement = { deployment: options.pins.deployment, lane: laneEpochOf(lane), close: close ?? null, issuedAtMs };
      const signature = await this.#device.run(signWith(lane.laneSeed, SigningSessionsStatement.encode(statement)));
      return SigningSessionsRequest.toJson({ statement, signature });
    });
    const answer = await this.#ask('/v1/sessions', request);
    if (close) this.#current.delete(keyIndex);
    return SigningSessionsAnswer.fromJson(answer).sessions;
  }

  #ask(path: string, body: Json): Promise<unknown> {
    return this.#device.run(ask(path, body));
  }
}
