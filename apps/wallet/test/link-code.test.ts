import { describe, expect, it } from 'vitest';
import { checkWord, encodeApproval, encodeOffer, parseLinkCode } from '../src/link-code.ts';
import { qrRows } from '../src/qr.ts';

const bytes = (first: number): Uint8Array => Uint8Array.from({ length: 32 }, (_, i) => (first + i) % 256);
const offer = { recipientKey: bytes(1), laneKey: bytes(2) };
const facts = { walletId: 'w-0123', keyIndex: 0, publicKey: bytes(3), ceremonyId: bytes(4) };

describe('a link code', () => {
  it('gives back what it was made of, alone and as a link', () => {
    const [asked, answered] = [encodeOffer(offer), encodeApproval(facts)];
    expect(parseLinkCode(asked)).toEqual({ kind: 'offer', offer, code: asked });
    expect(parseLinkCode(` http://localhost:1/#${answered}\n`)).toEqual({ kind: 'approval', facts, code: answered });
  });

  it.each([
    '',
    '#',
    'offer=',
    'offer=AAAA',
    `offer=${encodeApproval(facts).split('=')[1]}`,
    encodeOffer(offer).slice(0, -4),
    'other=AAAA',
  ])('is not read from %j', (text) => {
    expect(parseLinkCode(text)).toBeUndefined();
  });

  it('has a check word that changes with each of its keys', () => {
    const words = [offer, { ...offer, laneKey: bytes(9) }, { ...offer, recipientKey: bytes(9) }].map(checkWord);
    expect(new Set(words).size).toBe(3);
    for (const word of words) expect(word).toMatch(/^[0-9A-F]{4}-[0-9A-F]{4}$/);
  });

  it('fits a QR code that a phone reads from a screen', () => {
    const side = qrRows(`http://localhost:65535/#${encodeApproval(facts)}`).length;
    expect(side).toBeLessThanOrEqual(17 + 4 * 12 + 8);
  });
});
