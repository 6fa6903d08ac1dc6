import { expect, test } from 'vitest';
import {
  fromCompact,
  GRANT_HEADER,
  protectedHeader,
  receiptHeader,
  signedReceiptJson,
  signingInput,
  toCompact,
} from '../src/index.ts';

const receipt = {
  payload: Uint8Array.of(1, 2, 3),
  signatureA: new Uint8Array(64).fill(1),
  signatureB: new Uint8Array(64).fill(2),
};
type General = { payload: string; signatures: { protected: string; signature: string }[] };
const general = (): General => JSON.parse(JSON.stringify(signedReceiptJson.toJson(receipt)));

test('a signed receipt is a general JWS with exactly two signatures under fixed headers', () => {
  const { payload, signatures } = general();
  expect(payload).toBe('AQID');
  expect(signatures.map((part) => JSON.parse(Buffer.from(part.protected, 'base64url').toString()))).toEqual([
    { alg: 'EdDSA', typ: 'yao-receipt+jws', kid: 'deriver-a' },
    { alg: 'EdDSA', typ: 'yao-receipt+jws', kid: 'deriver-b' },
  ]);
  expect(signedReceiptJson.fromJson(general(), 'receipt')).toEqual(receipt);
});

test.each([
  ['one signature only', (jws: General) => jws.signatures.pop()],
  ['three signatures', (jws: General) => jws.signatures.push(jws.signatures[0] as General['signatures'][0])],
  ['B before A', (jws: General) => jws.signatures.reverse()],
  ['A twice', (jws: General) => jws.signatures.splice(1, 1, jws.signatures[0] as General['signatures'][0])],
  [
    'another algorithm in the header',
    (jws: General) =>
      Object.assign(jws.signatures[0] as object, { protected: Buffer.from('{"alg":"none"}').toString('base64url') }),
  ],
  ['an unprotected header', (jws: General) => Object.assign(jws.signatures[0] as object, { header: {} })],
])('a receipt with %s is refused', (_, spoil) => {
  const jws = general();
  spoil(jws);
  expect(() => signedReceiptJson.fromJson(jws, 'receipt')).toThrow(expect.objectContaining({ name: 'YaoError' }));
});

test('a compact JWS is taken under its one header only', () => {
  const payload = Uint8Array.of(9, 8);
  const signature = new Uint8Array(64).fill(3);
  const compact = toCompact(GRANT_HEADER, payload, signature);
  expect(fromCompact(GRANT_HEADER, compact, 'grant_invalid')).toEqual({ payload, signature });
  expect(new TextDecoder().decode(signingInput(GRANT_HEADER, payload))).toBe(`${protectedHeader(GRANT_HEADER)}.CQg`);
  for (const wrong of [toCompact(receiptHeader('deriver-a'), payload, signature), `${compact}.x`, compact.slice(1), 'a.b']) {
    expect(() => fromCompact(GRANT_HEADER, wrong, 'grant_invalid')).toThrow(expect.objectContaining({ code: 'grant_invalid' }));
  }
});
