import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { equalBytes, fromBase64Url, schema, toBase64Url, xorBytes } from '../src/index.ts';

const Everything = schema.message('test/1 everything', {
  small: schema.u8,
  middle: schema.u16,
  large: schema.u32,
  atMs: schema.timeMs,
  name: schema.text(/^[a-z]*$/, 8),
  word: schema.oneOf('red', 'green'),
  flag: schema.boolean,
  fixed: schema.bytes(4),
  loose: schema.bytesBetween(1, 6),
  maybe: schema.optional(schema.u16),
  many: schema.list(schema.struct({ x: schema.u8 }), 1, 3),
});
type Everything = ReturnType<typeof Everything.decode>;

const bytesOf = (minLength: number, maxLength: number) => fc.uint8Array({ minLength, maxLength });
const everything: fc.Arbitrary<Everything> = fc.record({
  small: fc.nat(0xff),
  middle: fc.nat(0xffff),
  large: fc.nat(0xffff_ffff),
  atMs: fc.maxSafeNat().map((n) => n % 2 ** 48),
  name: fc.stringMatching(/^[a-z]{0,8}$/),
  word: fc.constantFrom('red' as const, 'green' as const),
  flag: fc.boolean(),
  fixed: bytesOf(4, 4),
  loose: bytesOf(1, 6),
  maybe: fc.option(fc.nat(0xffff)),
  many: fc.array(fc.record({ x: fc.nat(255) }), { minLength: 1, maxLength: 3 }),
});

test('binary and JSON both give back what went in, and one value has one encoding', () => {
  fc.assert(
    fc.property(everything, (value) => {
      const encoded = Everything.encode(value);
      expect(Everything.decode(encoded)).toEqual(value);
      expect(Everything.encode(Everything.decode(encoded))).toEqual(encoded);
      expect(Everything.fromJson(JSON.parse(JSON.stringify(Everything.toJson(value))))).toEqual(value);
    }),
  );
});

test('every truncation and every extension is refused', () => {
  fc.assert(
    fc.property(everything, (value) => {
      const encoded = Everything.encode(value);
      for (let length = 0; length < encoded.length; length++) {
        expect(() => Everything.decode(encoded.subarray(0, length))).toThrow(expect.objectContaining({ name: 'YaoError' }));
      }
      expect(() => Everything.decode(Uint8Array.of(...encoded, 0))).toThrow(expect.objectContaining({ code: 'invalid_length' }));
    }),
    { numRuns: 20 },
  );
});

test('a changed byte is refused or decodes to something else with this very encoding', () => {
  fc.assert(
    fc.property(everything, fc.nat(), fc.integer({ min: 1, max: 255 }), (value, at, change) => {
      const encoded = Everything.encode(value);
      const i = at % encoded.length;
      encoded[i] = (encoded[i] as number) ^ change;
      let decoded: Everything;
      try {
        decoded = Everything.decode(encoded);
      } catch (error) {
        expect(error).toMatchObject({ name: 'YaoError' });
        return;
      }
      expect(Everything.encode(decoded)).toEqual(encoded);
    }),
  );
});

const sample: Everything = {
  ...{ small: 1, middle: 2, large: 3, atMs: 4, name: 'abc', word: 'red', flag: true },
  ...{ fixed: Uint8Array.of(1, 2, 3, 4), loose: Uint8Array.of(9), maybe: null, many: [{ x: 1 }] },
};
const json = Everything.toJson(sample) as Record<string, unknown>;

describe('JSON', () => {
  test.each([
    ['an unknown field', { extra: 1 }, 'unknown_field', 'extra'],
    ['a missing field', { small: undefined }, 'invalid_request', 'everything.small'],
    ['a number too large', { small: 256 }, 'invalid_request', 'everything.small'],
    ['a fraction', { small: 0.5 }, 'invalid_request', 'everything.small'],
    ['a number beyond 2^53', { atMs: 2 ** 60 }, 'invalid_request', 'everything.atMs'],
    ['text that does not match', { name: 'ABC' }, 'invalid_request', 'everything.name'],
    ['a word off the list', { word: 'blue' }, 'invalid_request', 'red, green'],
    ['a flag as text', { flag: 'true' }, 'invalid_request', 'everything.flag'],
    ['bytes too short', { fixed: 'AQID' }, 'invalid_length', 'everything.fixed'],
    ['bytes too long', { fixed: 'AQIDBAUGBwgJ' }, 'invalid_length', 'everything.fixed'],
    ['bytes with padding', { fixed: 'AQIDBA==' }, 'invalid_length', 'everything.fixed'],
    ['bytes with a foreign character', { fixed: 'AQID*A' }, 'invalid_request', 'everything.fixed'],
    ['bytes with bits left over', { fixed: 'AQIDBB' }, 'invalid_request', 'everything.fixed'],
    ['too few entries', { many: [] }, 'invalid_length', 'everything.many'],
    ['too many entries', { many: [1, 2, 3, 4] }, 'invalid_length', 'everything.many'],
    ['an entry that is no object', { many: [1] }, 'invalid_request', 'everything.many[0]'],
    ['a list that is none', { many: { 0: 1 } }, 'invalid_request', 'everything.many'],
  ])('%s is refused by name', (_, change, code, named) => {
    const act = () => Everything.fromJson({ ...json, ...change });
    expect(act).toThrow(expect.objectContaining({ code, message: expect.stringContaining(named) }));
  });

  test.each([null, [], 'text', 5])('%j is refused as a whole', (body) => {
    expect(() => Everything.fromJson(body)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  test('a field of the prototype is no field', () => {
    const body = JSON.parse(`{"__proto__": {"small": 1}, ${JSON.stringify({ ...json, small: undefined }).slice(1)}`);
    expect(() => Everything.fromJson(body)).toThrow(expect.objectContaining({ name: 'YaoError' }));
  });
});

test('another domain is another digest, and is not decoded', () => {
  const Other = schema.message('test/1 other', { small: schema.u8 });
  const Same = schema.message('test/1 same', { small: schema.u8 });
  expect(Other.digest({ small: 1 })).not.toEqual(Same.digest({ small: 1 }));
  expect(() => Other.decode(Same.encode({ small: 1 }))).toThrow(expect.objectContaining({ code: 'invalid_request' }));
});

test('encoding refuses a value that its own decoder would refuse', () => {
  expect(() => Everything.encode({ ...sample, small: 256 })).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  expect(() => Everything.encode({ ...sample, fixed: new Uint8Array(5) })).toThrow(
    expect.objectContaining({ code: 'invalid_length' }),
  );
  expect(() => Everything.encode({ ...sample, name: 'abcdefghi' })).toThrow(expect.objectContaining({ code: 'invalid_request' }));
});

test('bytes: comparison, XOR and base64url', () => {
  fc.assert(
    fc.property(bytesOf(0, 40), bytesOf(0, 40), (left, right) => {
      expect(equalBytes(left, right)).toBe(Buffer.compare(left, right) === 0);
      expect(toBase64Url(left)).toBe(Buffer.from(left).toString('base64url'));
      expect(fromBase64Url(toBase64Url(left))).toEqual(left);
      if (left.length === right.length) expect(xorBytes(xorBytes(left, right), right)).toEqual(left);
      else expect(() => xorBytes(left, right)).toThrow(RangeError);
    }),
  );
});
