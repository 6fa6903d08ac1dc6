import { equalBytes, type SecretBytes, YaoError } from '@streaming-yao/core';
import type { Point } from '@streaming-yao/group';
import { Receipt, type Receipt as ReceiptFields, type Ticket } from '@streaming-yao/wire';
import { type Admitted, sealPackage } from './deriver.ts';
import { all, type Program } from './program.ts';
import type { DeriverSurroundings } from './role.ts';

/** One Deriver's contribution to a receipt: public. */
export interface Side {
  readonly commitments: { readonly client: Uint8Array; readonly signingWorker: Uint8Array } | undefined;
  readonly seedCommitment: Uint8Array | undefined;
  readonly clientPackage: Uint8Array;
  readonly signingWorkerPackage: Uint8Array | undefined;
}

/** The own side together with the sealed packages. */
export interface OwnOutput {
  readonly side: Side;
  /** What `side` encodes. */
  readonly points: {
    readonly commitments: readonly [client: Point, signingWorker: Point] | undefined;
    readonly seedCommitment: Point | undefined;
  };
  readonly clientPackage: Uint8Array;
  readonly signingWorkerPackage: Uint8Array | undefined;
}

/**
 * Splits the own share of the scalar into a random part for the client and the rest for the SigningWorker, commits to both
 * and seals them.
 */
export function* splitShare(
  s: DeriverSurroundings,
  admitted: Admitted,
  share: SecretBytes,
  seedShare: SecretBytes | undefined,
): Program<OwnOutput> {
  using client = s.group.randomScalar(s.random);
  using signingWorker = s.group.subtractScalars(share, client);
  const commitments = s.group.commitTwo(client, signingWorker);
  const seedCommitment = seedShare && s.group.commit(seedShare);
  const [clientPackage, signingWorkerPackage] = yield* all(
    sealPackage(admitted, 'client', client),
    sealPackage(admitted, 'signing-worker', signingWorker),
  );
  const side = {
    commitments: { client: commitments[0].encoded, signingWorker: commitments[1].encoded },
    seedCommitment: seedCommitment?.encoded,
    clientPackage: s.hashing.sha256(clientPackage),
    signingWorkerPackage: s.hashing.sha256(signingWorkerPackage),
  };
  return { side, points: { commitments, seedCommitment }, clientPackage, signingWorkerPackage };
}

/** Seals the own XOR share of the seed to the client, who alone receives in an export. */
export function* releaseSeedShare(
  s: DeriverSurroundings,
  admitted: Admitted,
  xorShare: SecretBytes,
  seedShare: SecretBytes,
): Program<OwnOutput> {
  const clientPackage = yield* sealPackage(admitted, 'client', xorShare);
  const seedCommitment = s.group.commit(seedShare);
  const side = {
    commitments: undefined,
    seedCommitment: seedCommitment.encoded,
    clientPackage: s.hashing.sha256(clientPackage),
    signingWorkerPackage: undefined,
  };
  return { side, points: { commitments: undefined, seedCommitment }, clientPackage, signingWorkerPackage: undefined };
}

/** What both sides' commitments add up to. @throws YaoError `invalid_point`, `commitment_mismatch` */
export function joinedCommitments(
  s: DeriverSurroundings,
  { points: own }: OwnOutput,
  peer: Side,
): { publicKey: Uint8Array | undefined; seedCommitment: Uint8Array | undefined } {
  if (!own.commitments !== !peer.commitments || !own.seedCommitment !== !peer.seedCommitment) {
    throw new YaoError('commitment_mismatch', 'the Derivers committed to different kinds of output');
  }
  const sum = (points: readonly (Uint8Array | Point)[]): Uint8Array => s.group.sumOfPoints(points).encoded;
  return {
    publicKey:
      own.commitments && peer.commitments && sum([...own.commitments, peer.commitments.client, peer.commitments.signingWorker]),
    seedCommitment: own.seedCommitment && peer.seedCommitment && sum([own.seedCommitment, peer.seedCommitment]),
  };
}

export interface ReceiptFacts {
  readonly ticket: Ticket;
  readonly garblerNonce: Uint8Array;
  readonly evaluatorNonce: Uint8Array;
  readonly transcript: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly atMs: number;
}

/** The receipt that both Derivers must agree on. */
export function receiptOf({ core, ceremonyId, grantDigest }: Admitted, facts: ReceiptFacts, a: Side, b: Side): ReceiptFields {
  return {
    core,
    ceremonyId,
    grant: grantDigest,
    ...facts,
    commitments:
      a.commitments && b.commitments
        ? {
            client: { a: a.commitments.client, b: b.commitments.client },
            signingWorker: { a: a.commitments.signingWorker, b: b.commitments.signingWorker },
          }
        : null,
    seedCommitments: a.seedCommitment && b.seedCommitment ? { a: a.seedCommitment, b: b.seedCommitment } : null,
    clientPackages: { a: a.clientPackage, b: b.clientPackage },
    signingWorkerPackages:
      a.signingWorkerPackage && b.signingWorkerPackage ? { a: a.signingWorkerPackage, b: b.signingWorkerPackage } : null,
  };
}

/** What a receipt says of B, for A to check the rest against its own view. */
export function sideOfB(receipt: ReceiptFields): Side {
  const { commitments, seedCommitments, clientPackages, signingWorkerPackages } = receipt;
  return {
    commitments: commitments ? { client: commitments.client.b, signingWorker: commitments.signingWorker.b } : undefined,
    seedCommitment: seedCommitments?.b,
    clientPackage: clientPackages.b,
    signingWorkerPackage: signingWorkerPackages?.b,
  };
}

export function sameReceipt(left: ReceiptFields, right: ReceiptFields): boolean {
  return equalBytes(Receipt.encode(left), Receipt.encode(right));
}
