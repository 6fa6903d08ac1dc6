import { parseKeyFormat, parseKeyPair, recoveryCredential } from '@streaming-yao/client';
import { decodeLane, decodeWallet, encodeLane } from '@streaming-yao/client/lane-record';
import {
  type ErrorBody,
  errorBody,
  errorFromBody,
  fromBase64Url,
  PARTIES,
  SecretBytes,
  toBase64Url,
  utf8,
  YaoError,
} from '@streaming-yao/core';
import { loadGroup } from '@streaming-yao/group/node';
import { FrameLine, fromCompact, GRANT_HEADER, payloadOf, toCompact } from '@streaming-yao/wire';
import { approvalCode, offerCode, readApproval, readOffer } from '../../tools/yao/link-code.ts';
import { expectSame, Finding, typed } from '../finding.ts';
import type { Target } from '../target.ts';
import { jsonMutator, parsed } from './messages.ts';

const SMALL = { maxBytes: 16 * 1024, batch: 512, allocatedBytes: 4 * 1024 * 1024 } as const;

const latin = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const filled = (length: number, value: number): Uint8Array => new Uint8Array(length).fill(value);

export const base64Target: Target = {
  ...SMALL,
  name: 'base64url',
  about: 'unpadded base64url',
  seeds: () => ['', 'AA', 'AAA', 'AAAA', 'q83v-_A'].map(utf8),
  run: (input) => {
    const bytes = typed(() => fromBase64Url(latin(input)));
    if (bytes) expectSame(latin(input), toBase64Url(bytes), 'base64url');
  },
};

export const grantTarget: Target = {
  ...SMALL,
  name: 'compact-jws',
  about: 'grants and activations in compact serialisation',
  seeds: () => [utf8(toCompact(GRANT_HEADER, filled(40, 7), filled(64, 9)))],
  run: (input) => {
    const parts = typed(() => fromCompact(GRANT_HEADER, latin(input), 'grant_invalid'));
    if (parts) expectSame(latin(input), toCompact(GRANT_HEADER, parts.payload, parts.signature), 'a compact JWS');
  },
};

const facts = { walletId: 'alice', keyIndex: 3, publicKey: filled(32, 1), ceremonyId: filled(32, 2) };
const offered = { recipientKey: filled(32, 3), laneKey: filled(32, 4) };

export const linkCodeTarget: Target = {
  ...SMALL,
  name: 'link-code',
  about: 'codes that two devices show each other',
  seeds: () => [offerCode('alice', offered), approvalCode(facts)].map(utf8),
  run: (input) => {
    const code = text(input);
    const offer = typed(() => readOffer(code));
    if (offer) expectSame(code.trim(), offerCode(offer.walletId, offer), 'an offer');
    const approval = typed(() => readApproval(code));
    if (approval) expectSame(code.trim(), approvalCode(approval), 'an approval');
  },
};

const group = loadGroup();

export const keyFormatTarget: Target = {
  ...SMALL,
  name: 'key-formats',
  about: 'key pairs, recovery phrases, names of key formats, records of a device',
  seeds: () => {
    const words = `${'abandon '.repeat(23)}art`;
    const half = (): SecretBytes => SecretBytes.own(filled(32, 6));
    const lane = encodeLane({ ...facts, lane: 1, epoch: 2, share: half(), laneSeed: half() });
    return [filled(64, 5), utf8(words), utf8('seed-hex'), lane.use((bytes) => bytes.slice())];
  },
  run: (input) => {
    const pair = typed(() => parseKeyPair(input, (seed) => seed.use((bytes) => bytes.slice())));
    if (pair)
      expectSame(
        input,
        pair.use((seed) => Uint8Array.of(...seed, ...seed)),
        'a key pair',
      );
    typed(() => recoveryCredential(group, text(input)));
    typed(() => parseKeyFormat(text(input)));
    const lane = typed(() => decodeLane(SecretBytes.copy(input)));
    if (lane)
      expectSame(
        input,
        encodeLane(lane).use((bytes) => bytes.slice()),
        'a record of a lane',
      );
    typed(() => decodeWallet(SecretBytes.copy(input)));
  },
};

const hashing = {
  sha256: (...parts: readonly Uint8Array[]): Uint8Array => filled(32, parts.length),
  hmacSha256: (): Uint8Array => filled(32, 0),
};
const lineOf = (): FrameLine => new FrameLine(hashing, SecretBytes.own(filled(32, 0)), 'to-evaluator', filled(32, 0));

export const frameTarget: Target = {
  name: 'frame',
  about: 'frames between the Derivers, whoever has sealed them',
  maxBytes: 80 * 1024,
  batch: 512,
  allocatedBytes: 4 * 1024 * 1024,
  seeds: () => [lineOf().seal('open', filled(100, 1)), lineOf().seal('credit', filled(2, 1), false)],
  run: (input) => {
    const frame = typed(() => lineOf().open(input));
    if (frame) expectSame(input, lineOf().seal(frame.kind, frame.payload, frame.final), 'a frame');
    typed(() => payloadOf(input));
  },
};

export const errorBodyTarget: Target = {
  ...SMALL,
  name: 'error-body',
  about: 'errors as other roles answer them',
  seeds: () => [
    utf8(JSON.stringify(errorBody(new YaoError('busy', 'later', { party: 'router', ceremonyId: 'ab', retryAfterMs: 5 })))),
  ],
  mutate: jsonMutator(0),
  run: (input) => {
    const read = parsed(input);
    if (!read) return;
    const error = typed(() => errorFromBody(read.json, 'router'));
    if (!error) throw new Finding('crash', 'an error cannot be read');
    const { party = 'router', message, ceremonyId = '', retryAfterMs = 0 }: ErrorBody['error'] = errorBody(error).error;
    const known = PARTIES.includes(party);
    const bounded = message.length <= 500 && ceremonyId.length <= 64 && Number.isSafeInteger(retryAfterMs);
    if (!known || !bounded) throw new Finding('canonical', `an error that no role makes is passed on: ${JSON.stringify(error)}`);
  },
};
