import { sha256 } from '@noble/hashes/sha2.js';
import type { DevicePublicKeys, LinkFacts } from '@streaming-yao/client';
import { fromBase64Url, schema, toBase64Url, toHex } from '@streaming-yao/core';

/**
 * What two devices show each other when one links the other, as text short enough for a QR code. Both travel outside the
 * Router, from screen to camera or by hand: that is what makes them worth believing.
 */
const Offer = schema.message('streaming-yao/1 wallet-page link-offer', {
  recipientKey: schema.bytes(32),
  laneKey: schema.bytes(32),
});

const Approval = schema.message('streaming-yao/1 wallet-page link-approval', {
  walletId: schema.text(/^[A-Za-z0-9._-]+$/, 64),
  keyIndex: schema.u32,
  publicKey: schema.bytes(32),
  ceremonyId: schema.bytes(32),
});

const OFFER_MARK = 'offer';
const APPROVAL_MARK = 'approval';

export type LinkCode = {
  /** As it was read. */
  readonly code: string;
} & ({ readonly kind: 'offer'; readonly offer: DevicePublicKeys } | { readonly kind: 'approval'; readonly facts: LinkFacts });

export const encodeOffer = (offer: DevicePublicKeys): string => `${OFFER_MARK}=${toBase64Url(Offer.encode(offer))}`;
export const encodeApproval = (facts: LinkFacts): string => `${APPROVAL_MARK}=${toBase64Url(Approval.encode(facts))}`;

/** The link that carries a code; what stands after `#` never leaves the browser. */
export const linkOf = (code: string): string => `${location.origin}/#${code}`;

/** Reads a code, alone or as the end of a link. @returns `undefined` for anything else */
export function parseLinkCode(text: string): LinkCode | undefined {
  const code = text.slice(text.indexOf('#') + 1).trim();
  const [mark, value = ''] = code.split('=');
  try {
    if (mark === OFFER_MARK) return { code, kind: 'offer', offer: Offer.decode(fromBase64Url(value)) };
    if (mark === APPROVAL_MARK) return { code, kind: 'approval', facts: Approval.decode(fromBase64Url(value)) };
  } catch {
    // Cut short, or of something else.
  }
  return undefined;
}

/** Eight digits by which a person sees that both screens speak of the same new device. */
export function checkWord({ recipientKey, laneKey }: DevicePublicKeys): string {
  const digest = toHex(sha256(Offer.encode({ recipientKey, laneKey }))).toUpperCase();
  return `${digest.slice(0, 4)}-${digest.slice(4, 8)}`;
}
