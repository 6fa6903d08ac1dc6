import { createPublicKey, verify } from 'node:crypto';
import { type ErrorCode, toBase64Url, toHex, YaoError } from '@streaming-yao/core';
import { type Figure, summarize } from '../figure.ts';

export type Measured = 'register' | 'refresh' | 'recover' | 'sign';

/** What many clients have seen: times, failures, and every nonce commitment that was ever answered. */
export class Tally {
  readonly failures = new Map<ErrorCode | 'internal', number>();
  readonly #samples = new Map<Measured, number[]>();
  readonly #messageOf = new Map<string, string>();

  /** Times what succeeds, and counts what does not by its code. @throws what `act` throws */
  async of<T>(operation: Measured, act: () => Promise<T>): Promise<T> {
    const before = performance.now();
    try {
      const result = await act();
      const samples = this.#samples.get(operation) ?? [];
      this.#samples.set(operation, samples);
      samples.push(performance.now() - before);
      return result;
    } catch (error) {
      const code = error instanceof YaoError ? error.code : 'internal';
      this.failures.set(code, (this.failures.get(code) ?? 0) + 1);
      throw error;
    }
  }

  /** @throws Error for a signature that does not verify, and for a second message under one nonce */
  check(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): void {
    const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: toBase64Url(publicKey) } });
    if (!verify(null, message, key, signature)) throw new Error('node:crypto does not verify a signature');
    const [commitment, signed] = [toHex(signature.subarray(0, 32)), toHex(message)];
    const before = this.#messageOf.get(commitment);
    if (before !== undefined && before !== signed) throw new Error(`two messages were signed under the nonce of ${commitment}`);
    this.#messageOf.set(commitment, signed);
  }

  count(operation: Measured): number {
    return this.#samples.get(operation)?.length ?? 0;
  }

  figures(prefix: string): readonly Figure[] {
    return [...this.#samples].map(([operation, samples]) => summarize(`${prefix}_${operation}_ms`, 'ms', samples));
  }
}
