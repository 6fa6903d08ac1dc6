import { readFileSync } from 'node:fs';
import { ristretto255, ristretto255_hasher } from '@noble/curves/ed25519.js';
import { blake3 } from '@noble/hashes/blake3.js';
import { fromHex, SecretBytes, toHex, utf8, YaoError } from '@streaming-yao/core';
import { describe, expect, it } from 'vitest';
import { secretDependence } from '../../../tools/wasm-taint.ts';
import { loadGroup } from '../src/node.ts';
import { encodeScalar, L, littleEndian } from '../src/scalar.ts';

const { Point } = ristretto255;
const group = loadGroup();
const { ristretto } = group;

const stream = blake3.create({}).update(utf8('ristretto test'));
const random = (length: number): Uint8Array => stream.xof(length);

const oracleFromUniform = (bytes: Uint8Array) => ristretto255_hasher.deriveToCurve!(bytes);

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return error instanceof YaoError ? error.code : String(error);
  }
  return 'no error';
}

/** RFC 9496 appendix A.1: the multiples 0 to 15 of the generator. */
const MULTIPLES = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  'e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76',
  '6a493210f7499cd17fecb510ae0cea23a110e8d5b901f8acadd3095c73a3b919',
  '94741f5d5d52755ece4f23f044ee27d5d1ea1e2bd196b462166b16152a9d0259',
  'da80862773358b466ffadfe0b3293ab3d9fd53c5ea6c955358f568322daf6a57',
  'e882b131016b52c1d3337080187cf768423efccbb517bb495ab812c4160ff44e',
  'f64746d3c92b13050ed8d80236a7f0007c3b3f962f5ba793d19a601ebb1df403',
  '44f53520926ec81fbd5a387845beb7df85a96a24ece18738bdcfa6a7822a176d',
  '903293d8f2287ebe10e2374dc1a53e0bc887e592699f02d077d5263cdd55601c',
  '02622ace8f7303a31cafc63f8fc48fdc16e1c8c8d234b2f0d6685282a9076031',
  '20706fd788b2720a1ed2a5dad4952b01f413bcf0e7564de8cdc816689e2db95f',
  'bce83f8ba5dd2fa572864c24ba1810f9522bc6004afe95877ac73241cafdab42',
  'e4549ee16b9aa03099ca208c67adafcafa4c3f3e4e5303de6026e3ca8ff84460',
  'aa52e000df2e16f55fb1032fc33bc42742dad6bd5a8fc0be0167436c5948501f',
  '46376b80f409b29dc2b5f6f0c52591990896e5716f41477cd30085ab7f10301e',
  'e0c418f7c8d9c4cdd7395b93ea124f3ad99021bb681dfc3302a9d99a2e53e64e',
];

/** RFC 9496 appendix A.2: encodings to refuse. */
const BAD_ENCODINGS = [
  '00ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'f3ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'ed57ffd8c914fb201471d1c3d245ce3c746fcbe63a3679d51b6a516ebebe0e20',
  'c34c4e1826e5d403b78e246e88aa051c36ccf0aafebffe137d148a2bf9104562',
  'c940e5a4404157cfb1628b108db051a8d439e1a421394ec4ebccb9ec92a8ac78',
  '47cfc5497c53dc8e61c91d17fd626ffb1c49e2bca94eed052281b510b1117a24',
  'f1c6165d33367351b0da8f6e4511010c68174a03b6581212c71c0e1d026c3c72',
  '87260f7a2f12495118360f02c26a470f450dadf34a413d21042b43b9d93e1309',
];

describe('ristretto255', () => {
  it.each(MULTIPLES.map((hex, factor) => [factor, hex] as const))('encodes %i times the generator', (factor, hex) => {
    const scalar = SecretBytes.own(encodeScalar(BigInt(factor)));
    expect(toHex(ristretto.baseMultiply(scalar))).toBe(hex);
    if (factor < 2) return;
    expect(toHex(ristretto.multiply(scalar, fromHex(MULTIPLES[1]!)))).toBe(hex);
    expect(toHex(ristretto.add(fromHex(MULTIPLES[1]!), fromHex(MULTIPLES[factor - 1]!)))).toBe(hex);
    expect(toHex(ristretto.subtract(fromHex(hex), fromHex(MULTIPLES[1]!)))).toBe(MULTIPLES[factor - 1]);
  });

  it.each([...BAD_ENCODINGS, MULTIPLES[0]!, 'e2f2'])('refuses %s', (hex) => {
    const one = SecretBytes.own(encodeScalar(1n));
    expect(codeOf(() => ristretto.multiply(one, fromHex(hex)))).toBe('invalid_point');
    expect(codeOf(() => ristretto.add(fromHex(MULTIPLES[1]!), fromHex(hex)))).toBe('invalid_point');
    expect(codeOf(() => ristretto.subtract(fromHex(hex), fromHex(MULTIPLES[1]!)))).toBe('invalid_point');
  });

  it('agrees with @noble/curves on which random strings are elements', () => {
    let elements = 0;
    const one = SecretBytes.own(encodeScalar(1n));
    for (let i = 0; i < 400; i++) {
      const bytes = random(32);
      bytes[0] = bytes[0]! & 0xfe;
      bytes[31] = bytes[31]! & 0x7f;
      const sound = codeOf(() => Point.fromBytes(bytes)) === 'no error';
      expect(codeOf(() => ristretto.multiply(one, bytes))).toBe(sound ? 'no error' : 'invalid_point');
      if (sound) expect(toHex(ristretto.multiply(one, bytes))).toBe(toHex(bytes));
      elements += sound ? 1 : 0;
    }
    expect(elements).toBeGreaterThan(40);
  });

  it('agrees with @noble/curves on random inputs', () => {
    for (let i = 0; i < 60; i++) {
      const uniform = [random(64), random(64)] as const;
      const [left, right] = uniform.map(oracleFromUniform) as [
        ReturnType<typeof oracleFromUniform>,
        ReturnType<typeof oracleFromUniform>,
      ];
      const scalar = group.randomScalar(random);
      const factor = scalar.use(littleEndian);
      expect(toHex(ristretto.fromUniform(uniform[0]))).toBe(left.toHex());
      expect(toHex(ristretto.add(left.toBytes(), right.toBytes()))).toBe(left.add(right).toHex());
      expect(toHex(ristretto.subtract(left.toBytes(), right.toBytes()))).toBe(left.subtract(right).toHex());
      expect(toHex(ristretto.multiply(scalar, left.toBytes()))).toBe(left.multiply(factor).toHex());
      expect(toHex(ristretto.baseMultiply(scalar))).toBe(Point.BASE.multiply(factor).toHex());
    }
  });

  it.each([
    ['zeros', new Uint8Array(64)],
    ['ones', new Uint8Array(64).fill(0xff)],
    ['p and 1', fromHex(`ed${'ff'.repeat(30)}7f01${'00'.repeat(31)}`)],
  ])('maps %s as @noble/curves does', (_, uniform) => {
    expect(toHex(ristretto.fromUniform(uniform))).toBe(oracleFromUniform(uniform).toHex());
  });

  it('lets no element decide a branch, a select, an address or a length', () => {
    const wasm = new Uint8Array(readFileSync(new URL('../group.wasm', import.meta.url)));
    const exports = ['ristrettoDecode', 'ristrettoEncode', 'ristrettoMap', 'negatePoint', 'addPoints'];
    expect(secretDependence(wasm, { exports, source: 'every load' })).toEqual([]);
  });

  it('refuses scalars and uniform bytes of another shape', () => {
    const generator = fromHex(MULTIPLES[1]!);
    for (const bytes of [encodeScalar(1n).subarray(1), littleEndianOrder()]) {
      expect(codeOf(() => ristretto.baseMultiply(SecretBytes.copy(bytes)))).toBe('invalid_scalar');
      expect(codeOf(() => ristretto.multiply(SecretBytes.copy(bytes), generator))).toBe('invalid_scalar');
    }
    expect(codeOf(() => ristretto.fromUniform(new Uint8Array(32)))).toBe('invalid_length');
  });
});

/** The group order itself: the smallest scalar that is not canonical. */
function littleEndianOrder(): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, i) => Number((L >> BigInt(8 * i)) & 0xffn));
}
