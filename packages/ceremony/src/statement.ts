import { equalBytes, toHex, YaoError } from '@streaming-yao/core';
import {
  ACTIVATION_HEADER,
  Activation,
  ConfirmRefusal,
  fromCompact,
  GRANT_HEADER,
  Grant,
  HpkeKey,
  LanesAnswer,
  type Pins,
  pinnedKey,
  Receipt,
  type Role,
  receiptHeader,
  type SignedHpkeKey,
  type SignedLanes,
  type SignedReceipt,
  signingInput,
} from '@streaming-yao/wire';
import { all, type Program, verify } from './program.ts';

/** What a ceremony's statements must agree with. */
export interface CeremonyFacts {
  readonly pins: Pins;
  readonly nowMs: number;
  readonly ceremonyId: Uint8Array;
}

function* signedBy(pins: Pins, role: Role, message: Uint8Array, signature: Uint8Array): Program<boolean> {
  return yield* verify({ algorithm: 'ed25519', publicKey: pinnedKey(pins, role), message, signature });
}

/** Key statements found to be genuine under some pins: the same few come again with every ceremony. */
const genuineUnder = new WeakMap<Pins, Set<string>>();

function genuineStatements(pins: Pins): Set<string> {
  const known = genuineUnder.get(pins) ?? new Set();
  genuineUnder.set(pins, known);
  return known;
}

/** @throws YaoError `key_statement_invalid` unless the pinned key of `role` signed it for this deployment and time */
export function* checkHpkeKey(pins: Pins, role: Role, nowMs: number, signed: SignedHpkeKey): Program<HpkeKey> {
  const { statement, signature } = signed;
  const fits =
    statement.role === role &&
    statement.deployment === pins.deployment &&
    statement.profile === pins.profile &&
    statement.notBeforeMs <= nowMs &&
    nowMs < statement.notAfterMs;
  const encoded = HpkeKey.encode(statement);
  const genuine = genuineStatements(pins);
  const name = `${toHex(encoded)} ${toHex(signature)}`;
  if (!fits || !(genuine.has(name) || (yield* signedBy(pins, role, encoded, signature)))) {
    throw new YaoError('key_statement_invalid', `the HPKE key served for ${role} is not one that ${role} has signed for now`, {
      party: 'router',
    });
  }
  genuine.add(name);
  return statement;
}

/** @throws YaoError `grant_invalid` */
export function* checkGrant({ pins, nowMs, ceremonyId }: CeremonyFacts, coreDigest: Uint8Array, grant: string): Program<Grant> {
  const { payload, signature } = fromCompact(GRANT_HEADER, grant, 'grant_invalid');
  if (!(yield* signedBy(pins, 'router', signingInput(GRANT_HEADER, payload), signature))) {
    throw new YaoError('grant_invalid', 'the grant is not signed by the Router', { party: 'router' });
  }
  const claims = Grant.decode(payload);
  const fits =
    equalBytes(claims.ceremonyId, ceremonyId) &&
    equalBytes(claims.core, coreDigest) &&
    claims.deployment === pins.deployment &&
    claims.profile === pins.profile;
  if (!fits) throw new YaoError('grant_invalid', 'the grant is for another ceremony', { party: 'router' });
  if (claims.expiresAtMs < nowMs) throw new YaoError('grant_invalid', 'the grant has expired', { party: 'router' });
  return claims;
}

/**
 * Checks each of the two signatures by itself against its role's pinned key.
 * @throws YaoError `receipt_invalid`
 */
export function* checkReceipt(
  { pins, ceremonyId }: Pick<CeremonyFacts, 'pins' | 'ceremonyId'>,
  signed: SignedReceipt,
): Program<Receipt> {
  const [byA, byB] = yield* all(
    signedBy(pins, 'deriver-a', signingInput(receiptHeader('deriver-a'), signed.payload), signed.signatureA),
    signedBy(pins, 'deriver-b', signingInput(receiptHeader('deriver-b'), signed.payload), signed.signatureB),
  );
  if (!byA || !byB)
    throw new YaoError('receipt_invalid', `the receipt lacks the signature of ${byA ? 'Deriver B' : 'Deriver A'}`, {
      party: 'router',
    });
  const receipt = Receipt.decode(signed.payload);
  if (!equalBytes(receipt.ceremonyId, ceremonyId))
    throw new YaoError('receipt_invalid', 'the receipt is of another ceremony', { party: 'router' });
  return receipt;
}

/** @throws YaoError `receipt_invalid` */
export function* checkActivation(pins: Pins, compact: string): Program<Activation> {
  const { payload, signature } = fromCompact(ACTIVATION_HEADER, compact, 'receipt_invalid');
  if (!(yield* signedBy(pins, 'signing-worker', signingInput(ACTIVATION_HEADER, payload), signature))) {
    throw new YaoError('receipt_invalid', 'the activation is not signed by the SigningWorker', { party: 'router' });
  }
  const activation = Activation.decode(payload);
  if (activation.deployment !== pins.deployment)
    throw new YaoError('receipt_invalid', 'the activation is of another deployment', { party: 'router' });
  return activation;
}

/** @param asked digest of the statement that was asked with @throws YaoError `receipt_invalid` */
export function* checkLanes(pins: Pins, asked: Uint8Array, { answer, signature }: SignedLanes): Program<LanesAnswer> {
  if (equalBytes(answer.asked, asked) && (yield* signedBy(pins, 'signing-worker', LanesAnswer.encode(answer), signature)))
    return answer;
  throw new YaoError('receipt_invalid', 'the list of lanes is not what the SigningWorker answers to this question', {
    party: 'router',
  });
}

/** @throws YaoError `receipt_invalid` unless the SigningWorker has refused the confirmation of this digest */
export function* checkRefusal(pins: Pins, asked: Uint8Array, signature: Uint8Array): Program<void> {
  if (yield* signedBy(pins, 'signing-worker', ConfirmRefusal.encode({ asked }), signature)) return;
  throw new YaoError('receipt_invalid', 'the refusal of the new share is not signed by the SigningWorker', { party: 'router' });
}
