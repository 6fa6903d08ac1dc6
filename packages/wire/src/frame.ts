import { equalBytes, LIMITS, type SecretBytes, utf8, YaoError } from '@streaming-yao/core';
import { PROTOCOL } from './field.ts';

/**
 * A frame between the Derivers: version (1 byte), kind (1), sequence number (4, big-endian), final flag (1), payload, tag (16).
 * One WebSocket message is one frame.
 */
export const FRAME_HEADER_BYTES = 7;
export const FRAME_TAG_BYTES = 16;
export const FRAME_OVERHEAD_BYTES = FRAME_HEADER_BYTES + FRAME_TAG_BYTES;

/**
 * Versions that are read, the one that is spoken first. A version is read by one release before the next release speaks it, so
 * that roles can be replaced one after the other, the evaluator first.
 */
const FRAME_VERSIONS: readonly number[] = [1];

export const FRAME_KINDS = ['open', 'tables', 'pads', 'output', 'cosignature', 'accept', 'credit', 'receipt', 'abort'] as const;
export type FrameKind = (typeof FRAME_KINDS)[number];

export interface Frame {
  readonly kind: FrameKind;
  /** Set on the last frame of this kind. */
  readonly final: boolean;
  /** A view into the frame. */
  readonly payload: Uint8Array;
}

/** SHA-256 (FIPS 180-4) and HMAC-SHA-256 (RFC 2104) of the concatenated parts, as the platform provides them. */
export interface FrameHashing {
  sha256(...parts: readonly Uint8Array[]): Uint8Array;
  hmacSha256(key: Uint8Array, ...parts: readonly Uint8Array[]): Uint8Array;
}

export type Direction = 'to-evaluator' | 'to-garbler';

/**
 * One direction of one ceremony's frames. Both ends keep the same running transcript: T(n) = SHA-256(T(n-1), header, payload).
 * The tag of frame n is HMAC-SHA-256 of T(n), cut to 16 bytes, so a frame that was changed, dropped, repeated or moved is refused.
 */
export class FrameLine {
  readonly #hashing: FrameHashing;
  readonly #key: SecretBytes;
  #version = FRAME_VERSIONS[0] as number;
  #sequence = 0;
  #transcript: Uint8Array;

  constructor(hashing: FrameHashing, key: SecretBytes, direction: Direction, ceremonyId: Uint8Array) {
    this.#hashing = hashing;
    this.#key = key;
    this.#transcript = hashing.sha256(utf8(`${PROTOCOL} frames ${direction}\n`), ceremonyId);
  }

  /** SHA-256 over everything sent so far in this direction. */
  get transcript(): Uint8Array {
    return this.#transcript;
  }

  /** Speaks as `opening`, the peer's first frame, does. @throws YaoError `frame_invalid` for a version that is not read here */
  answer(opening: Uint8Array): void {
    this.#version = versionOf(opening);
  }

  seal(kind: FrameKind, payload: Uint8Array, final = true): Uint8Array {
    const frame = new Uint8Array(payload.length + FRAME_OVERHEAD_BYTES);
    frame.set(payload, FRAME_HEADER_BYTES);
    return this.sealInPlace(frame, kind, payload.length, final);
  }

  /**
   * Seals a payload that stands already at {@link FRAME_HEADER_BYTES} in `buffer`, which spares table frames a copy.
   * @returns a view of `buffer`: the frame
   */
  sealInPlace(buffer: Uint8Array, kind: FrameKind, payloadBytes: number, final: boolean): Uint8Array {
    const frame = buffer.subarray(0, payloadBytes + FRAME_OVERHEAD_BYTES);
    if (frame.length > LIMITS.frameBytes) throw new RangeError(`a frame of ${frame.length} bytes exceeds ${LIMITS.frameBytes}`);
    frame[0] = this.#version;
    frame[1] = FRAME_KINDS.indexOf(kind);
    new DataView(frame.buffer, frame.byteOffset).setUint32(2, this.#sequence);
    frame[6] = final ? 1 : 0;
    const tagAt = frame.length - FRAME_TAG_BYTES;
    frame.set(this.#advance(frame.subarray(0, tagAt)), tagAt);
    return frame;
  }

  /** @throws YaoError `frame_invalid` for a frame that is not the peer's next one, to the bit; the line is then useless */
  open(frame: Uint8Array): Frame {
    if (frame.length < FRAME_OVERHEAD_BYTES || frame.length > LIMITS.frameBytes) {
      throw new YaoError(
        'frame_invalid',
        `a frame has ${FRAME_OVERHEAD_BYTES} to ${LIMITS.frameBytes} bytes, this one ${frame.length}`,
      );
    }
    const kind = FRAME_KINDS[frame[1] as number];
    const sequence = new DataView(frame.buffer, frame.byteOffset).getUint32(2);
    if (frame[0] !== this.#version || kind === undefined || (frame[6] as number) > 1 || sequence !== this.#sequence) {
      throw new YaoError('frame_invalid', 'a frame of another version or kind, or out of order');
    }
    const tagAt = frame.length - FRAME_TAG_BYTES;
    if (!equalBytes(this.#advance(frame.subarray(0, tagAt)), frame.subarray(tagAt))) {
      throw new YaoError('frame_invalid', 'a frame does not carry the tag of its transcript');
    }
    return { kind, final: frame[6] === 1, payload: frame.subarray(FRAME_HEADER_BYTES, tagAt) };
  }

  #advance(untagged: Uint8Array): Uint8Array {
    this.#transcript = this.#hashing.sha256(this.#transcript, untagged);
    this.#sequence++;
    return this.#key.use((key) => this.#hashing.hmacSha256(key, this.#transcript)).subarray(0, FRAME_TAG_BYTES);
  }
}

/** The payload of a frame whose tag cannot be checked yet, because its key is named inside. @throws YaoError `frame_invalid` */
export function payloadOf(frame: Uint8Array): Uint8Array {
  if (frame.length < FRAME_OVERHEAD_BYTES) throw new YaoError('frame_invalid', 'a frame is too short');
  versionOf(frame);
  return frame.subarray(FRAME_HEADER_BYTES, frame.length - FRAME_TAG_BYTES);
}

function versionOf([version]: Uint8Array): number {
  if (version !== undefined && FRAME_VERSIONS.includes(version)) return version;
  throw new YaoError(
    'frame_invalid',
    `frames of version ${version} are not read here; those of ${FRAME_VERSIONS.join(', ')} are`,
  );
}

/** Digest over the transcripts of both directions, for the receipt. */
export function transcriptDigest(hashing: FrameHashing, toEvaluator: Uint8Array, toGarbler: Uint8Array): Uint8Array {
  return hashing.sha256(utf8(`${PROTOCOL} transcript\n`), toEvaluator, toGarbler);
}
