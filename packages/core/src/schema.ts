import { sha256 } from '@noble/hashes/sha2.js';
import { Reader, Writer } from './binary.ts';
import { equalBytes, fromBase64Url, toBase64Url, utf8 } from './bytes.ts';
import { YaoError } from './error.ts';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/**
 * One description of a field gives both its encodings: length-prefixed binary (hashed, signed, sent between Derivers)
 * and strict JSON (HTTP bodies). Both directions check every limit.
 */
export interface Codec<T> {
  write(writer: Writer, value: T): void;
  read(reader: Reader): T;
  toJson(value: T): Json;
  /** @param path names the field in error messages. @throws YaoError `invalid_request`, `invalid_length`, `unknown_field` */
  fromJson(json: unknown, path: string): T;
}

export type Infer<C> = C extends Codec<infer T> ? T : never;

function fail(path: string, expected: string): never {
  throw new YaoError('invalid_request', `${path}: expected ${expected}`);
}

function unsigned(width: number, max: number): Codec<number> {
  const check = (value: unknown, path: string): number =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= max
      ? value
      : fail(path, `a whole number from 0 to ${max}`);
  return {
    write: (writer, value) => writer.uint(check(value, 'number'), width),
    read: (reader) => check(reader.uint(width), 'number'),
    toJson: (value) => value,
    fromJson: check,
  };
}

export const u8 = unsigned(1, 0xff);
export const u16 = unsigned(2, 0xffff);
export const u32 = unsigned(4, 0xffff_ffff);
/** Milliseconds since 1970 UTC, six bytes. */
export const timeMs = unsigned(6, 2 ** 48 - 1);

function byteString(min: number, max: number, wrong: 'invalid_length' | 'invalid_request'): Codec<Uint8Array> {
  const bounds = min === max ? `${min}` : `${min} to ${max}`;
  const check = (value: Uint8Array, path: string): Uint8Array => {
    if (value.length >= min && value.length <= max) return value;
    throw new YaoError(wrong, `${path}: expected ${bounds} bytes, got ${value.length}`);
  };
  return {
    write: (writer, value) => (min === max ? writer.raw(check(value, 'bytes')) : writer.prefixed(check(value, 'bytes'))),
    read: (reader) => check(min === max ? reader.raw(min) : reader.prefixed(max), 'bytes').slice(),
    toJson: (value) => toBase64Url(check(value, 'bytes')),
    fromJson: (json, path) => {
      if (typeof json !== 'string' || json.length > Math.ceil((max * 4) / 3)) {
        throw new YaoError(
          typeof json === 'string' ? wrong : 'invalid_request',
          `${path}: expected ${bounds} bytes in base64url`,
        );
      }
      try {
        return check(fromBase64Url(json), path);
      } catch (error) {
        if (error instanceof YaoError && error.code === wrong) throw error;
        return fail(path, 'unpadded base64url');
      }
    },
  };
}

/** Exactly `length` bytes; base64url in JSON. */
export const bytes = (length: number): Codec<Uint8Array> => byteString(length, length, 'invalid_length');
/** `min` to `max` bytes; base64url in JSON. */
export const bytesBetween = (min: number, max: number): Codec<Uint8Array> => byteString(min, max, 'invalid_length');

/** Text that matches `pattern`, at most `max` UTF-8 bytes. */
export function text(pattern: RegExp, max: number): Codec<string> {
  const check = (value: unknown, path: string): string =>
    typeof value === 'string' && utf8(value).length <= max && pattern.test(value)
      ? value
      : fail(path, `text of at most ${max} bytes like ${pattern}`);
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return {
    write: (writer, value) => writer.prefixed(utf8(check(value, 'text'))),
    read: (reader) => {
      try {
        return check(decoder.decode(reader.prefixed(max)), 'text');
      } catch (error) {
        throw error instanceof YaoError ? error : new YaoError('invalid_request', 'text is not UTF-8');
      }
    },
    toJson: (value) => check(value, 'text'),
    fromJson: check,
  };
}

/** One of a closed list of words; a byte with its place in the list in binary. */
export function oneOf<const Words extends readonly string[]>(...words: Words): Codec<Words[number]> {
  const check = (value: unknown, path: string): Words[number] =>
    typeof value === 'string' && words.includes(value) ? value : fail(path, `one of ${words.join(', ')}`);
  return {
    write: (writer, value) => writer.uint(words.indexOf(check(value, 'word')), 1),
    read: (reader) => check(words[reader.uint(1)], 'word'),
    toJson: (value) => check(value, 'word'),
    fromJson: check,
  };
}

export const boolean: Codec<boolean> = {
  write: (writer, value) => writer.uint(value ? 1 : 0, 1),
  read: (reader) => {
    const byte = reader.uint(1);
    return byte > 1 ? fail('flag', '0 or 1') : byte === 1;
  },
  toJson: (value) => value,
  fromJson: (json, path) => (typeof json === 'boolean' ? json : fail(path, 'true or false')),
};

/** A field that may be absent: `null` on both sides. */
export function optional<T>(inner: Codec<T>): Codec<T | null> {
  return {
    write: (writer, value) => {
      boolean.write(writer, value !== null);
      if (value !== null) inner.write(writer, value);
    },
    read: (reader) => (boolean.read(reader) ? inner.read(reader) : null),
    toJson: (value) => (value === null ? null : inner.toJson(value)),
    fromJson: (json, path) => (json === null ? null : inner.fromJson(json, path)),
  };
}

/** `min` to `max` values of one kind. */
export function list<T>(inner: Codec<T>, min: number, max: number): Codec<readonly T[]> {
  const check = (count: number, path: string): void => {
    if (count < min || count > max)
      throw new YaoError('invalid_length', `${path}: expected ${min} to ${max} entries, got ${count}`);
  };
  return {
    write: (writer, values) => {
      check(values.length, 'list');
      writer.uint(values.length, 2);
      for (const value of values) inner.write(writer, value);
    },
    read: (reader) => {
      const count = reader.uint(2);
      check(count, 'list');
      return Array.from({ length: count }, () => inner.read(reader));
    },
    toJson: (values) => values.map((value) => inner.toJson(value)),
    fromJson: (json, path) => {
      if (!Array.isArray(json)) return fail(path, 'a list');
      check(json.length, path);
      return json.map((value, i) => inner.fromJson(value, `${path}[${i}]`));
    },
  };
}

type Fields = { readonly [name: string]: Codec<unknown> };
type StructOf<F extends Fields> = { readonly [K in keyof F]: Infer<F[K]> };

/** Named fields, in the order written; JSON must have exactly these. */
export function struct<F extends Fields>(fields: F): Codec<StructOf<F>> {
  const names = Object.keys(fields);
  const entries = Object.entries(fields) as [string, Codec<unknown>][];
  return {
    write: (writer, value) => {
      for (const [name, field] of entries) field.write(writer, value[name]);
    },
    read: (reader) => Object.fromEntries(entries.map(([name, field]) => [name, field.read(reader)])) as StructOf<F>,
    toJson: (value) => Object.fromEntries(entries.map(([name, field]) => [name, field.toJson(value[name])])),
    fromJson: (json, path) => {
      if (typeof json !== 'object' || json === null || Array.isArray(json)) return fail(path, 'an object');
      const unknown = Object.keys(json).find((name) => !Object.hasOwn(fields, name));
      if (unknown !== undefined)
        throw new YaoError('unknown_field', `${path}: unknown field "${unknown.slice(0, 64)}"; known are ${names.join(', ')}`);
      return Object.fromEntries(
        entries.map(([name, field]) => [name, field.fromJson((json as Record<string, unknown>)[name], `${path}.${name}`)]),
      ) as StructOf<F>;
    },
  };
}

type Variants = { readonly [word: string]: Fields };
type VariantOf<Tag extends string, V extends Variants> = {
  [Word in keyof V & string]: { readonly [T in Tag]: Word } & StructOf<V[Word]>;
}[keyof V & string];

/**
 * One of several structs. The field `tag` holds the word that says which: the first of the fields in JSON, its place in the
 * list as one byte in binary.
 */
export function variant<const Tag extends string, V extends Variants>(tag: Tag, variants: V): Codec<VariantOf<Tag, V>> {
  const word = oneOf(...Object.keys(variants));
  const codecs = new Map(Object.entries(variants).map(([name, fields]) => [name, struct(fields)]));
  const codecOf = (name: string) => codecs.get(name) as ReturnType<typeof struct>;
  const tagOf = (value: unknown): string => (value as Record<string, string>)[tag] as string;
  return {
    write: (writer, value) => {
      word.write(writer, tagOf(value));
      codecOf(tagOf(value)).write(writer, value);
    },
    read: (reader) => {
      const name = word.read(reader);
      return { [tag]: name, ...codecOf(name).read(reader) } as VariantOf<Tag, V>;
    },
    toJson: (value) => ({ [tag]: tagOf(value), ...(codecOf(tagOf(value)).toJson(value) as { readonly [name: string]: Json }) }),
    fromJson: (json, path) => {
      if (typeof json !== 'object' || json === null || Array.isArray(json)) return fail(path, 'an object');
      const { [tag]: found, ...fields } = json as Record<string, unknown>;
      const name = word.fromJson(found, `${path}.${tag}`);
      return { [tag]: name, ...codecOf(name).fromJson(fields, path) } as VariantOf<Tag, V>;
    },
  };
}

/** A codec under a domain tag: what is hashed, signed, stored or sent as a whole. */
export interface Message<T> {
  readonly domain: string;
  readonly codec: Codec<T>;
  /** Domain tag, then the fields. */
  encode(value: T): Uint8Array;
  /** @throws YaoError when the tag, a length or a field is wrong or bytes are left over */
  decode(bytes: Uint8Array): T;
  /** SHA-256 of {@link encode}, 32 bytes. */
  digest(value: T): Uint8Array;
  toJson(value: T): Json;
  fromJson(json: unknown): T;
}

/** @param domain is unique in the protocol, for example `streaming-yao/1 core`. */
export function message<F extends Fields>(domain: string, fields: F): Message<StructOf<F>> {
  const codec = struct(fields);
  const tag = utf8(domain);
  const name = domain.slice(domain.lastIndexOf(' ') + 1);
  const encode = (value: StructOf<F>): Uint8Array => {
    const writer = new Writer();
    writer.uint(tag.length, 1);
    writer.raw(tag);
    codec.write(writer, value);
    return writer.finish();
  };
  return {
    domain,
    codec,
    encode,
    decode: (bytes) => {
      const reader = new Reader(bytes);
      if (!equalBytes(reader.raw(reader.uint(1)), tag)) throw new YaoError('invalid_request', `expected a "${domain}" message`);
      const value = codec.read(reader);
      reader.end();
      return value;
    },
    digest: (value) => sha256(encode(value)),
    toJson: codec.toJson,
    fromJson: (json) => codec.fromJson(json, name),
  };
}
