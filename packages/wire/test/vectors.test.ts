import { readFile } from 'node:fs/promises';
import { type Message, toHex } from '@streaming-yao/core';
import { describe, expect, test } from 'vitest';
import * as wire from '../src/index.ts';
import { SAMPLES } from './samples.ts';

interface Vector {
  readonly domain: string;
  readonly bytes: string;
  readonly json: unknown;
}

const file = new URL('../../../vectors/wire.json', import.meta.url);
const { messages } = JSON.parse(await readFile(file, 'utf8')) as { readonly messages: Readonly<Record<string, Vector>> };

const isMessage = (value: unknown): value is Message<unknown> =>
  typeof value === 'object' && value !== null && 'domain' in value && 'encode' in value;
const exported = Object.entries<unknown>(wire).flatMap(([name, value]) => (isMessage(value) ? [[name, value] as const] : []));

test('every message has a sample, a frozen vector and a domain of its own', () => {
  const names = exported.map(([name]) => name).sort();
  expect(Object.keys(SAMPLES).sort()).toEqual(names);
  expect(Object.keys(messages)).toEqual(names);
  expect(new Set(exported.map(([, { domain }]) => domain)).size).toBe(names.length);
});

describe.each(exported)('%s', (name, message) => {
  const sample = SAMPLES[name as keyof typeof SAMPLES] as unknown;
  const vector = messages[name] as Vector;

  test('has its frozen bytes and JSON', () => {
    expect({ domain: message.domain, bytes: toHex(message.encode(sample)), json: message.toJson(sample) }).toEqual(vector);
  });

  test('gives back what went in, both ways', () => {
    expect(message.decode(Uint8Array.from(Buffer.from(vector.bytes, 'hex')))).toEqual(sample);
    expect(message.fromJson(vector.json)).toEqual(sample);
  });

  test('is refused when cut anywhere, lengthened, or given an unknown field', () => {
    const encoded = message.encode(sample);
    for (let length = 0; length < encoded.length; length++) {
      expect(() => message.decode(encoded.subarray(0, length))).toThrow(expect.objectContaining({ name: 'YaoError' }));
    }
    expect(() => message.decode(Uint8Array.of(...encoded, 0))).toThrow(expect.objectContaining({ code: 'invalid_length' }));
    const more = { ...(message.toJson(sample) as object), more: 1 };
    expect(() => message.fromJson(more)).toThrow(expect.objectContaining({ code: 'unknown_field' }));
  });
});
