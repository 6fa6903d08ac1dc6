import { toBase64Url, toHex, utf8 } from '@streaming-yao/core';

/** Something to look for, and what it is called when found. */
export interface Needle {
  readonly name: string;
  readonly bytes: Uint8Array;
}

interface Pattern {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** What `bytes` look like in base64url when they stand somewhere in a longer text: three cases, without the characters at both ends that depend on their neighbours. */
function base64Forms(bytes: Uint8Array): readonly string[] {
  return [0, 1, 2].map((before) => {
    const padded = new Uint8Array(before + bytes.length);
    padded.set(bytes, before);
    const whole = Math.floor((padded.length * 8) / 6);
    return toBase64Url(padded).slice(Math.ceil((before * 8) / 6), whole);
  });
}

function formsOf({ name, bytes }: Needle): readonly Pattern[] {
  return [bytes, bytes.toReversed()].flatMap((ordered, reversed) => {
    const what = reversed ? `${name}, reversed` : name;
    const hex = toHex(ordered);
    const url = base64Forms(ordered);
    const standard = url.map((text) => text.replaceAll('-', '+').replaceAll('_', '/'));
    const texts = new Set([hex, hex.toUpperCase(), ...url, ...standard]);
    return [{ name: what, bytes: ordered }, ...[...texts].map((text) => ({ name: `${what}, as text`, bytes: utf8(text) }))];
  });
}

/** Bytes compared at once, and how far apart: every pattern is longer than both together, so none slips through. */
const WINDOW_BYTES = 4;
const STRIDE_BYTES = 28;
const BUCKETS = 2 ** 16;

interface Place {
  readonly pattern: Pattern;
  /** Where in the pattern the window stands. */
  readonly offset: number;
}

/** Finds secrets in what was seen: in both byte orders, raw, in hex and in base64, at any place. */
export class Haystack {
  readonly #places = new Map<number, Place[]>();
  readonly #known = new Uint8Array(BUCKETS);

  /** @param needles 32 bytes or more each */
  constructor(needles: readonly Needle[]) {
    for (const pattern of needles.flatMap(formsOf)) {
      if (pattern.bytes.length < WINDOW_BYTES + STRIDE_BYTES - 1)
        throw new RangeError(`${pattern.name} is too short to look for`);
      for (let offset = 0; offset < STRIDE_BYTES; offset++) {
        const window = windowAt(pattern.bytes, offset);
        this.#known[bucketOf(window)] = 1;
        this.#places.set(window, [...(this.#places.get(window) ?? []), { pattern, offset }]);
      }
    }
  }

  /** @returns the name of a secret that is in there */
  find(seen: Uint8Array): string | undefined {
    for (let at = 0; at + WINDOW_BYTES <= seen.length; at += STRIDE_BYTES) {
      const window = windowAt(seen, at);
      if (this.#known[bucketOf(window)] === 0) continue;
      const found = this.#places.get(window)?.find(({ pattern, offset }) => standsAt(seen, at - offset, pattern.bytes));
      if (found) return found.pattern.name;
    }
    return undefined;
  }
}

function windowAt(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] as number) << 24) |
    ((bytes[at + 1] as number) << 16) |
    ((bytes[at + 2] as number) << 8) |
    (bytes[at + 3] as number)
  );
}

function bucketOf(window: number): number {
  return (Math.imul(window, 0x9e3779b1) >>> 16) & (BUCKETS - 1);
}

function standsAt(seen: Uint8Array, at: number, bytes: Uint8Array): boolean {
  return at >= 0 && at + bytes.length <= seen.length && bytes.every((byte, i) => seen[at + i] === byte);
}
