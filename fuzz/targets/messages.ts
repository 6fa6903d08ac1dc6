import { readFileSync } from 'node:fs';
import path from 'node:path';
import { concatBytes, fromHex, type Json, type Message, utf8 } from '@streaming-yao/core';
import * as wire from '@streaming-yao/wire';
import type { Chance } from '../chance.ts';
import { expectSame, Finding, typed } from '../finding.ts';
import type { Target } from '../target.ts';

type AnyMessage = Message<unknown>;

const isMessage = (value: unknown): value is AnyMessage => typeof value === 'object' && value !== null && 'domain' in value;

const MESSAGES = Object.entries<unknown>(wire)
  .flatMap(([name, value]) => (isMessage(value) ? [{ name, message: value }] : []))
  .sort((left, right) => (left.name < right.name ? -1 : 1));

interface Vector {
  readonly bytes: string;
  readonly json: Json;
}

const VECTORS = path.join(import.meta.dirname, '..', '..', 'vectors', 'wire.json');

/** The frozen sample of each message, behind a byte that says which message it is. */
function samples(form: (vector: Vector) => Uint8Array): readonly Uint8Array[] {
  const { messages } = JSON.parse(readFileSync(VECTORS, 'utf8')) as { messages: Record<string, Vector> };
  return MESSAGES.map(({ name }, i) => concatBytes(Uint8Array.of(i), form(messages[name] as Vector)));
}

const chosen = (input: Uint8Array): AnyMessage =>
  (MESSAGES[(input[0] ?? 0) % MESSAGES.length] as { message: AnyMessage }).message;

/** Every message of the wire in its binary form. @param messages others than the wire's, where a test plants a bug */
export const binaryTarget = (of: (input: Uint8Array) => AnyMessage = chosen): Target => ({
  name: 'wire-binary',
  about: 'decoding of every message, binary',
  maxBytes: 128 * 1024,
  batch: 512,
  allocatedBytes: 4 * 1024 * 1024,
  seeds: () => samples(({ bytes }) => fromHex(bytes)),
  run: (input) => {
    const message = of(input);
    const came = input.subarray(1);
    const value = typed(() => message.decode(came));
    if (value !== undefined) expectSame(came, message.encode(value), message.domain);
  },
});

/** Objects with their fields in order, so that two texts of one value are equal. */
export function sorted(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(sorted);
  if (typeof json !== 'object' || json === null) return json;
  return Object.fromEntries(
    Object.entries(json)
      .map(([name, value]) => [name, sorted(value)] as const)
      .sort(([left], [right]) => (left < right ? -1 : 1)),
  );
}

const textOf = (json: unknown): string => JSON.stringify(sorted(json));

/** `undefined` for what is not JSON, which is refused before any of our code sees it. */
export function parsed(bytes: Uint8Array): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) };
  } catch {
    return undefined;
  }
}

const ODD_VALUES: readonly unknown[] = [
  ...[null, true, 0, -1, 1.5, 2 ** 53, 1e300, '', ' ', 'AA', 'AB', 'A', '\ud800', '\u{feff}x', [], {}, [[]], [null], { a: 1 }],
  JSON.parse('{"__proto__":{}}'),
];

const nudged = (text: string, chance: Chance): string =>
  `${text.slice(0, chance.below(text.length + 1))}${chance.pick(['', 'A', 'z', '=', '.'])}`;

/** Changes one value of a JSON text: replaced by something odd or by another of the same text, dropped, repeated, renamed. */
export function mutateJson(json: unknown, chance: Chance): unknown {
  const places: { readonly holder: Record<string, unknown>; readonly key: string }[] = [];
  const visit = (holder: unknown): void => {
    if (typeof holder !== 'object' || holder === null) return;
    for (const key of Object.keys(holder)) {
      places.push({ holder: holder as Record<string, unknown>, key });
      visit((holder as Record<string, unknown>)[key]);
    }
  };
  const copy = structuredClone(json);
  visit(copy);
  if (places.length === 0 || chance.below(20) === 0) return chance.pick(ODD_VALUES);
  const { holder, key } = chance.pick(places);
  const other = chance.pick(places);
  const value = holder[key];
  const changes: readonly (() => Record<string, unknown>)[] = [
    () => ({ [key]: structuredClone(chance.pick(ODD_VALUES)) }),
    () => ({ [key]: structuredClone(other.holder[other.key]) }),
    () => ({ [key]: undefined }),
    () => ({ [`${key}${chance.below(3)}`]: structuredClone(value) }),
    () => ({ [key]: Array.from({ length: chance.below(40) }, () => structuredClone(Array.isArray(value) ? value[0] : value)) }),
    () => ({ [key]: typeof value === 'number' ? value + chance.below(5) - 2 : nudged(String(value), chance) }),
  ];
  Object.assign(holder, chance.pick(changes)());
  return copy;
}

/** A mutator of JSON behind `skip` bytes that are not part of it. */
export const jsonMutator =
  (skip: number) =>
  (input: Uint8Array, chance: Chance): Uint8Array => {
    const read = parsed(input.subarray(skip));
    return read ? concatBytes(input.subarray(0, skip), utf8(JSON.stringify(mutateJson(read.json, chance)) ?? '')) : input;
  };

/** Every message of the wire as JSON. */
export const jsonTarget: Target = {
  name: 'wire-json',
  about: 'parsing of every message, JSON',
  maxBytes: 128 * 1024,
  batch: 512,
  allocatedBytes: 4 * 1024 * 1024,
  seeds: () => samples(({ json }) => utf8(JSON.stringify(json))),
  mutate: jsonMutator(1),
  run: (input) => {
    const message = chosen(input);
    const read = parsed(input.subarray(1));
    if (!read) return;
    const value = typed(() => message.fromJson(read.json));
    if (value === undefined) return;
    expectSame(textOf(read.json), textOf(message.toJson(value)), `${message.domain} in JSON`);
    const encoded = typed(() => message.encode(value));
    if (!encoded) throw new Finding('canonical', `${message.domain} accepts JSON that it cannot encode`);
    expectSame(encoded, message.encode(message.decode(encoded)), message.domain);
  },
};
