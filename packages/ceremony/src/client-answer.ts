import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { equalBytes, type SecretBytes, toHex, YaoError } from '@streaming-yao/core';
import type { Group } from '@streaming-yao/group';
import { type CeremonyAnswer, Core, type DeriverRole, PackageContext, packageInfo, type Receipt } from '@streaming-yao/wire';
import type { AwaitedCeremony } from './client-request.ts';
import { xorSecrets } from './derivation.ts';
import { newEpochOf } from './operation.ts';
import { packageContext } from './package.ts';
import { openWith, type Program } from './program.ts';
import type { ClientSurroundings } from './role.ts';
import { checkActivation, checkReceipt } from './statement.ts';

/** A lane as its device holds it. */
export interface Lane {
  readonly walletId: string;
  readonly keyIndex: number;
  readonly lane: number;
  readonly epoch: number;
  readonly ceremonyId: Uint8Array;
  readonly publicKey: Uint8Array;
  /** xc */
  readonly share: SecretBytes;
  readonly laneSeed: SecretBytes;
}

/**
 * Accepts a new share: receipt, packages, commitments and public key must all agree. docs/protocol.md section 7.
 * @throws YaoError `receipt_invalid`, `package_rejected`, `commitment_mismatch`, `public_key_mismatch`
 */
export function* acceptShare(s: ClientSurroundings, awaited: AwaitedCeremony, answer: CeremonyAnswer): Program<Lane> {
  const receipt = yield* checkedReceipt(s, awaited, answer);
  const { core } = awaited;
  const { commitments } = receipt;
  if (!commitments || !answer.activation)
    throw new YaoError('receipt_invalid', 'the answer lacks commitments or the activation', { party: 'router' });
  using a = yield* openPackage(awaited, receipt, 'deriver-a', answer.packageA);
  using b = yield* openPackage(awaited, receipt, 'deriver-b', answer.packageB);
  const { client, signingWorker } = commitments;
  const [clientA, clientB] = s.group.commitTwo(a, b);
  const serverShare = s.group.sumOfPoints([signingWorker.a, signingWorker.b]);
  const sum = s.group.sumOfPoints([clientA, clientB, serverShare]);
  if (
    !equalBytes(clientA.encoded, client.a) ||
    !equalBytes(clientB.encoded, client.b) ||
    !equalBytes(sum.encoded, receipt.publicKey)
  ) {
    throw new YaoError(
      'commitment_mismatch',
      'the shares do not fit the commitments of the receipt, or these not the public key',
    );
  }
  const activation = yield* checkActivation(s.pins, answer.activation);
  const fits =
    equalBytes(activation.ceremonyId, awaited.ceremonyId) &&
    equalBytes(activation.publicKey, receipt.publicKey) &&
    equalBytes(activation.laneKey, core.laneKey) &&
    equalBytes(activation.serverShare, serverShare.encoded) &&
    activation.walletId === core.walletId &&
    activation.keyIndex === core.keyIndex &&
    activation.lane === core.lane &&
    activation.epoch === newEpochOf(core);
  if (!fits)
    throw new YaoError('receipt_invalid', 'the SigningWorker activated something else than was asked for', {
      party: 'signing-worker',
    });
  const { walletId, keyIndex, lane } = core;
  const share = s.group.addScalars(a, b);
  return {
    walletId,
    keyIndex,
    lane,
    epoch: newEpochOf(core),
    ceremonyId: awaited.ceremonyId,
    publicKey: receipt.publicKey,
    share,
    laneSeed: awaited.laneSeed.map((seed) => seed.slice()),
  };
}

/**
 * Joins the seed of an export and compares it with the registered key before anybody sees it. 32 bytes.
 * @throws YaoError as {@link acceptShare}
 */
export function* acceptSeed(s: ClientSurroundings, awaited: AwaitedCeremony, answer: CeremonyAnswer): Program<SecretBytes> {
  const receipt = yield* checkedReceipt(s, awaited, answer);
  using a = yield* openPackage(awaited, receipt, 'deriver-a', answer.packageA);
  using b = yield* openPackage(awaited, receipt, 'deriver-b', answer.packageB);
  const seed = xorSecrets(a, b);
  if (!equalBytes(publicKeyOfSeed(s.group, seed), receipt.publicKey)) {
    seed.wipe();
    throw new YaoError('public_key_mismatch', 'the exported seed does not make the registered key; nothing is shown, try again');
  }
  return seed;
}

/** RFC 8032 section 5.1.5. */
export function publicKeyOfSeed(group: Group, seed: SecretBytes): Uint8Array {
  using clamped = seed.map((bytes) => {
    const digest = sha512(bytes);
    const scalar = digest.slice(0, 32);
    digest.fill(0);
    scalar[0] = (scalar[0] as number) & 0xf8;
    scalar[31] = ((scalar[31] as number) & 0x7f) | 0x40;
    return scalar;
  });
  using reduced = group.reduceScalar(clamped);
  return group.baseMultiply(reduced);
}

function* checkedReceipt(s: ClientSurroundings, { core, ceremonyId }: AwaitedCeremony, answer: CeremonyAnswer): Program<Receipt> {
  const receipt = yield* checkReceipt({ pins: s.pins, ceremonyId }, answer.receipt);
  if (!equalBytes(Core.encode(receipt.core), Core.encode(core))) {
    throw new YaoError('receipt_invalid', 'the receipt states another request', { party: 'router' });
  }
  if (core.registeredKey && !equalBytes(receipt.publicKey, core.registeredKey)) {
    throw new YaoError('public_key_mismatch', 'the receipt is of another key than the registered one');
  }
  return receipt;
}

function* openPackage(
  awaited: AwaitedCeremony,
  receipt: Receipt,
  source: DeriverRole,
  envelope: Uint8Array,
): Program<SecretBytes> {
  const { a, b } = receipt.clientPackages;
  if (!equalBytes(sha256(envelope), source === 'deriver-a' ? a : b)) {
    throw new YaoError('package_rejected', `the package of ${source} is not the one that the receipt names`, {
      party: 'router',
      ceremonyId: toHex(awaited.ceremonyId),
    });
  }
  const aad = PackageContext.encode(packageContext({ core: awaited.core, ceremonyId: awaited.ceremonyId }, source, 'client'));
  return yield* openWith({ privateKey: awaited.recipientKey, info: packageInfo(source, 'client'), aad, envelope });
}
