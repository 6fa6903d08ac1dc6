import { blake3 } from '@noble/hashes/blake3.js';
import { equalBytes, Reader, SecretBytes, Writer, YaoError } from '@streaming-yao/core';
import {
  BASE_OTS,
  BASE_REQUEST_BYTES,
  decoding,
  type PairingGroup,
  type ReceiverSecrets,
  receiveBaseKeys,
  requestBaseOts,
  scalarFrom,
  sendBaseKeys,
  UNIFORM_BYTES,
} from './base.ts';
import { digestFields, expandKey, extractKey } from './derivation.ts';
import { EvaluatorPairing, GarblerPairing } from './pairing.ts';
import { Ratchet } from './ratchet.ts';

/** Garbler to evaluator: 128 pairs of elements, then the garbler's Diffie-Hellman element. */
export const PAIRING_MESSAGE_BYTES = BASE_REQUEST_BYTES + 32;
/** Evaluator to garbler: the base-OT element, the Diffie-Hellman element, the key confirmation. */
export const PAIRING_REPLY_BYTES = 96;

/** Fresh bytes of a cryptographic random source. */
export type Random = (length: number) => Uint8Array;

const PENDING_VERSION = 1;
/** Version, digest of the context, seed of the secrets, digest of the message. */
const PENDING_BYTES = 1 + 3 * 32;

interface GarblerSecrets extends ReceiverSecrets {
  readonly exchange: SecretBytes;
}

function garblerSecrets(group: PairingGroup, tape: Uint8Array): GarblerSecrets {
  const bytes = blake3(new Uint8Array(), { key: tape, dkLen: BASE_OTS / 8 + UNIFORM_BYTES * (1 + 2 * BASE_OTS) });
  const reader = new Reader(bytes);
  const choices = reader.raw(BASE_OTS / 8);
  const exchange = scalarFrom(group, reader.raw(UNIFORM_BYTES));
  const exponents = Array.from({ length: BASE_OTS }, () => scalarFrom(group, reader.raw(UNIFORM_BYTES)));
  return { choices, exchange, exponents, uniform: reader.raw(UNIFORM_BYTES * BASE_OTS) };
}

function wipeGarblerSecrets({ choices, exchange, exponents, uniform }: GarblerSecrets): void {
  choices.fill(0);
  uniform.fill(0);
  for (const scalar of [exchange, ...exponents]) scalar.wipe();
}

function sessionDigest(context: Uint8Array): Uint8Array {
  return digestFields('pairing context', context);
}

/** The pairing's name: everything both sides know and sent, but the confirmation. */
function pairingId(session: Uint8Array, messageDigest: Uint8Array, elements: Uint8Array): Uint8Array {
  return digestFields('pairing', session, messageDigest, elements);
}

/** Splits the exchanged element into the ratchet's first secret and the confirmation, 32 bytes each. */
function exchangedSecrets(
  { ristretto }: PairingGroup,
  own: SecretBytes,
  peer: Uint8Array,
  id: Uint8Array,
): Record<'secret' | 'confirmation', Uint8Array> {
  const shared = decoding(() => ristretto.multiply(own, peer));
  const root = extractKey(shared, 32, 'pairing secret', id);
  shared.fill(0);
  const secret = expandKey(root, 32, 'pairing ratchet');
  const confirmation = expandKey(root, 32, 'pairing confirmation');
  root.fill(0);
  return { secret, confirmation };
}

function expectLength(bytes: Uint8Array, length: number, what: string): void {
  if (bytes.length !== length) throw new YaoError('pairing_invalid', `${what} has ${bytes.length} bytes, expected ${length}`);
}

/**
 * Garbler's first step.
 * @param context binds deployment, profile, key ids, validity and largest count; it is hashed into every key
 * @returns `pending`, the garbler's state until the reply comes (may be stored), and the message for the evaluator
 */
export function startPairing(
  group: PairingGroup,
  random: Random,
  context: Uint8Array,
): { pending: SecretBytes; message: Uint8Array } {
  const tape = random(32);
  const session = sessionDigest(context);
  const secrets = garblerSecrets(group, tape);
  const message = new Uint8Array(PAIRING_MESSAGE_BYTES);
  message.set(requestBaseOts(group, secrets, session));
  message.set(group.ristretto.baseMultiply(secrets.exchange), BASE_REQUEST_BYTES);
  wipeGarblerSecrets(secrets);
  const pending = new Writer();
  pending.uint(PENDING_VERSION, 1);
  pending.raw(session);
  pending.raw(tape);
  pending.raw(digestFields('pairing message', message));
  const state = SecretBytes.own(pending.finish());
  tape.fill(0);
  return { pending: state, message };
}

/**
 * Evaluator's only step.
 * @throws YaoError `pairing_invalid` when the message has another length or holds a bad element
 */
export function answerPairing(
  group: PairingGroup,
  random: Random,
  context: Uint8Array,
  message: Uint8Array,
): { pairing: EvaluatorPairing; reply: Uint8Array } {
  expectLength(message, PAIRING_MESSAGE_BYTES, 'the pairing message');
  const session = sessionDigest(context);
  using exponent = scalarFrom(group, random(UNIFORM_BYTES));
  using exchange = scalarFrom(group, random(UNIFORM_BYTES));
  const reply = new Uint8Array(PAIRING_REPLY_BYTES);
  reply.set(group.ristretto.baseMultiply(exponent));
  reply.set(group.ristretto.baseMultiply(exchange), 32);
  const id = pairingId(session, digestFields('pairing message', message), reply.subarray(0, 64));
  const { secret, confirmation } = exchangedSecrets(group, exchange, message.subarray(BASE_REQUEST_BYTES), id);
  reply.set(confirmation, 64);
  const baseKeys = sendBaseKeys(group, exponent, session, id, message.subarray(0, BASE_REQUEST_BYTES));
  return { pairing: new EvaluatorPairing(id, new Ratchet(secret, baseKeys)), reply };
}

/**
 * Garbler's last step; wipes `pending`.
 * @throws YaoError `pairing_invalid` when the reply, the state or the context is not of this pairing
 */
export function finishPairing(group: PairingGroup, pending: SecretBytes, context: Uint8Array, reply: Uint8Array): GarblerPairing {
  expectLength(reply, PAIRING_REPLY_BYTES, 'the pairing reply');
  const session = sessionDigest(context);
  return pending.use((state) => {
    expectLength(state, PENDING_BYTES, 'the pending pairing');
    if (state[0] !== PENDING_VERSION || !equalBytes(state.subarray(1, 33), session)) {
      throw new YaoError('pairing_invalid', 'the pending pairing is of another format or context; start a new one');
    }
    const secrets = garblerSecrets(group, state.subarray(33, 65));
    try {
      const pairing = finishWith(group, secrets, pairingId(session, state.subarray(65), reply.subarray(0, 64)), reply);
      pending.wipe();
      return pairing;
    } finally {
      wipeGarblerSecrets(secrets);
    }
  });
}

function finishWith(group: PairingGroup, secrets: GarblerSecrets, id: Uint8Array, reply: Uint8Array): GarblerPairing {
  const { secret, confirmation } = exchangedSecrets(group, secrets.exchange, reply.subarray(32, 64), id);
  if (!equalBytes(confirmation, reply.subarray(64))) {
    throw new YaoError('pairing_invalid', 'the reply does not answer this pairing message; start a new pairing');
  }
  const baseKeys = receiveBaseKeys(group, secrets, id, reply.subarray(0, 32));
  return new GarblerPairing(id, new Ratchet(secret, baseKeys), secrets.choices.slice());
}
