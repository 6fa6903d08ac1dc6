import { sha256 } from '@noble/hashes/sha2.js';
import { ERROR_CODES, type ErrorCode, equalBytes, schema, toHex, utf8, YaoError } from '@streaming-yao/core';
import { PROTOCOL } from '@streaming-yao/wire';
import { type Answer, refused } from './http.ts';
import type { RecordStore } from './storage.ts';

/** Names a request whatever happens to its answer (draft-ietf-httpapi-idempotency-key-header). */
export const IDEMPOTENCY_HEADER = 'idempotency-key';

const TABLE = 'idempotency';

const StoredAnswer = schema.message(`${PROTOCOL} idempotent-answer`, {
  body: schema.bytes(32),
  status: schema.u16,
  text: schema.bytesBetween(0, 1024 * 1024),
  expiresAtMs: schema.timeMs,
});

/** @throws YaoError `invalid_request` */
export function readIdempotencyKey(request: Request): string | undefined {
  const key = request.headers.get(IDEMPOTENCY_HEADER);
  if (key === null) return undefined;
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new YaoError('invalid_request', 'an idempotency key has 1 to 255 printable characters of ASCII, no blank', {
    party: 'client',
  });
}

/** Where the answer to a request is kept: with what else is known of the wallet. */
export function idempotencyName(about: string, path: string, key: string): string {
  return `${about}/${toHex(sha256(utf8(`${path}\n${key}`)))}`;
}

export interface IdempotentRequest {
  readonly name: string;
  readonly body: Uint8Array;
  /** Whether the answer may leave before it is kept. */
  readonly keepsLater: boolean;
}

interface UnderWay {
  readonly body: Uint8Array;
  readonly answer: Promise<Answer>;
}

/** Gives the same answer to the same request as long as it is kept, and runs each once. */
export class IdempotentAnswers {
  readonly #store: RecordStore;
  readonly #lifeMs: number;
  readonly #underWay = new Map<string, UnderWay>();

  constructor(store: RecordStore, lifeMs: number) {
    this.#store = store;
    this.#lifeMs = lifeMs;
  }

  async answer({ name, body, keepsLater }: IdempotentRequest, run: () => Promise<Answer>): Promise<Answer> {
    const digest = sha256(body);
    const running = this.#underWay.get(name);
    if (running) return equalBytes(running.body, digest) ? running.answer : mismatch();
    const stored = this.#read(name);
    if (stored) return equalBytes(stored.body, digest) ? stored.answer : mismatch();
    const answer = this.#run(name, digest, run, keepsLater);
    this.#underWay.set(name, { body: digest, answer });
    return answer;
  }

  async #run(name: string, body: Uint8Array, run: () => Promise<Answer>, keepsLater: boolean): Promise<Answer> {
    try {
      const answer = await run();
      if (!isFinal(answer)) this.#underWay.delete(name);
      else if (keepsLater) setTimeout(() => this.#keep(name, body, answer), 0);
      else this.#keep(name, body, answer);
      return answer;
    } catch (error) {
      this.#underWay.delete(name);
      throw error;
    }
  }

  #keep(name: string, body: Uint8Array, { status, text }: Answer): void {
    const expiresAtMs = Date.now() + this.#lifeMs;
    const record = StoredAnswer.encode({ body, status, text: utf8(text), expiresAtMs });
    this.#store.transact((tx) => tx.put(TABLE, name, record, expiresAtMs));
    this.#underWay.delete(name);
  }

  #read(name: string): { readonly body: Uint8Array; readonly answer: Answer } | undefined {
    const record = this.#store.transact((tx) => tx.get(TABLE, name));
    if (!record) return undefined;
    const { body, status, text, expiresAtMs } = StoredAnswer.decode(record);
    return expiresAtMs > Date.now() ? { body, answer: { status, text: new TextDecoder().decode(text) } } : undefined;
  }
}

function mismatch(): Answer {
  const why = 'this idempotency key came with another body; use a fresh key for a new request';
  return refused(new YaoError('idempotency_mismatch', why, { party: 'client' }));
}

/** What passes of itself is not kept: the same request may succeed the next time. */
function isFinal({ status, text }: Answer): boolean {
  if (status < 300) return true;
  const { code } = (JSON.parse(text) as { error: { code: ErrorCode } }).error;
  return !ERROR_CODES[code].retryable;
}
