import { equalBytes, Reader, YaoError } from '@streaming-yao/core';
import type { MessageKind } from '@streaming-yao/wire';

/** What tells NEAR's other signed structures from a transaction (NEP-461, NEP-366, NEP-413). */
const DELEGATE_PREFIX = 2 ** 30 + 366;
const MESSAGE_PREFIX = 2 ** 31 + 413;
const ACCOUNT_ID = /^(?=.{2,64}$)[a-z\d]+([-_.][a-z\d]+)*$/;
const DIGEST_BYTES = 32;

/**
 * Which of NEAR's structures this is, to its last byte and signed by this key.
 * @param encoded the Borsh encoding whose SHA-256 is signed
 */
export function nearKindOf(encoded: Uint8Array, publicKey: Uint8Array): MessageKind | undefined {
  const kinds = { 'near-delegate': readDelegate, 'near-message': readMessage, 'near-transaction': readTransaction } as const;
  return (Object.keys(kinds) as (keyof typeof kinds)[]).find((kind) => fits(encoded, (borsh) => kinds[kind](borsh, publicKey)));
}

function fits(encoded: Uint8Array, read: (borsh: Borsh) => void): boolean {
  const borsh = new Borsh(encoded);
  try {
    read(borsh);
    borsh.end();
    return true;
  } catch (error) {
    if (error instanceof YaoError) return false;
    throw error;
  }
}

/** NEAR's binary encoding: little-endian, lengths of four bytes. */
class Borsh extends Reader {
  readonly #largest: number;

  constructor(bytes: Uint8Array) {
    super(bytes);
    this.#largest = bytes.length;
  }

  length(): number {
    return this.raw(4).reduceRight((sum, byte) => sum * 256 + byte, 0);
  }

  bytes(): Uint8Array {
    return this.raw(this.length());
  }

  text(): string {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(this.bytes());
    } catch (error) {
      throw error instanceof YaoError ? error : new YaoError('invalid_request', 'text is not UTF-8');
    }
  }

  account(): void {
    must(ACCOUNT_ID.test(this.text()));
  }

  list(read: () => void): void {
    const count = this.length();
    // Every entry has a byte at least.
    must(count <= this.#largest);
    for (let i = 0; i < count; i++) read();
  }

  /** One of several, by its place in the list. */
  oneOf(...reads: readonly (() => void)[]): void {
    const read = reads[this.uint(1)];
    must(read !== undefined);
    read();
  }

  option(read: () => void): void {
    this.oneOf(() => undefined, read);
  }

  u64(): void {
    this.raw(8);
  }

  u128(): void {
    this.raw(16);
  }

  ownKey(publicKey: Uint8Array): void {
    must(this.uint(1) === 0 && equalBytes(this.raw(DIGEST_BYTES), publicKey));
  }

  key(): void {
    this.oneOf(
      () => this.raw(32),
      () => this.raw(64),
    );
  }
}

function readTransaction(borsh: Borsh, publicKey: Uint8Array): void {
  borsh.account();
  borsh.ownKey(publicKey);
  borsh.u64();
  borsh.account();
  borsh.raw(DIGEST_BYTES);
  borsh.list(() => readAction(borsh, true));
}

function readDelegate(borsh: Borsh, publicKey: Uint8Array): void {
  must(borsh.length() === DELEGATE_PREFIX);
  readDelegateAction(borsh, () => borsh.ownKey(publicKey));
}

function readDelegateAction(borsh: Borsh, readKey: () => void): void {
  borsh.account();
  borsh.account();
  borsh.list(() => readAction(borsh, false));
  borsh.u64();
  borsh.u64();
  readKey();
}

/** NEP-413: message, nonce, recipient, callback. */
function readMessage(borsh: Borsh): void {
  must(borsh.length() === MESSAGE_PREFIX);
  borsh.text();
  borsh.raw(32);
  borsh.text();
  borsh.option(() => borsh.text());
}

/** @param delegating whether an action may itself be a signed delegate action; within one it may not */
function readAction(borsh: Borsh, delegating: boolean): void {
  const stake = (): void => {
    borsh.u128();
    borsh.key();
  };
  const addKey = (): void => {
    borsh.key();
    borsh.u64();
    borsh.oneOf(
      () => readCallPermission(borsh),
      () => undefined,
    );
  };
  borsh.oneOf(
    () => undefined,
    () => borsh.bytes(),
    () => readFunctionCall(borsh),
    () => borsh.u128(),
    stake,
    addKey,
    () => borsh.key(),
    () => borsh.account(),
    () => readSignedDelegate(borsh, delegating),
    () => readGlobalDeployment(borsh),
    () =>
      borsh.oneOf(
        () => borsh.raw(DIGEST_BYTES),
        () => borsh.account(),
      ),
  );
}

function readFunctionCall(borsh: Borsh): void {
  borsh.text();
  borsh.bytes();
  borsh.u64();
  borsh.u128();
}

/** What an access key may call: allowance, receiver, methods. */
function readCallPermission(borsh: Borsh): void {
  borsh.option(() => borsh.u128());
  borsh.text();
  borsh.list(() => borsh.text());
}

function readSignedDelegate(borsh: Borsh, allowed: boolean): void {
  must(allowed);
  readDelegateAction(borsh, () => borsh.key());
  borsh.oneOf(
    () => borsh.raw(64),
    () => borsh.raw(65),
  );
}

function readGlobalDeployment(borsh: Borsh): void {
  borsh.bytes();
  borsh.oneOf(
    () => undefined,
    () => undefined,
  );
}

function must(holds: boolean): asserts holds {
  if (!holds) throw new YaoError('invalid_request', 'this is no structure that NEAR has signed');
}
