import { sha256 } from '@noble/hashes/sha2.js';
import { equalBytes, type SecretBytes, toHex, YaoError } from '@streaming-yao/core';
import {
  ACTIVATION_HEADER,
  Activation,
  type ActivationCall,
  type Activation as ActivationFields,
  type Authority,
  Core,
  ceremonyIdOf,
  PackageContext,
  packageInfo,
  type Receipt as ReceiptFields,
  signingInput,
  toCompact,
} from '@streaming-yao/wire';
import { authorize } from './authorization.ts';
import { newEpochOf } from './operation.ts';
import { packageContext } from './package.ts';
import { open, type Program, sign, transact } from './program.ts';
import type { SigningWorkerSurroundings } from './role.ts';
import {
  checkRegistrable,
  readActivation,
  readAuthority,
  shareContext,
  writeActivation,
  writeAuthority,
  writeLane,
  writePublicKey,
} from './signing-worker-record.ts';
import { checkGrant, checkReceipt } from './statement.ts';

export interface AcceptedShare {
  readonly receipt: ReceiptFields;
  /** xs */
  readonly share: SecretBytes;
  readonly serverShare: Uint8Array;
  readonly clientShare: Uint8Array;
}

/**
 * Takes over the SigningWorker's share of a new lane. docs/protocol.md section 8.
 * @returns the compact JWS of the activation; the same one for the same ceremony
 */
export function* activate(s: SigningWorkerSurroundings, call: ActivationCall): Program<string> {
  const { core } = call;
  const ceremonyId = ceremonyIdOf(core, { a: call.envelopeA, b: call.envelopeB });
  try {
    const nowMs = s.now();
    yield* checkGrant({ pins: s.pins, nowMs, ceremonyId }, Core.digest(core), call.grant);
    const found = yield* transact((tx) => ({ recorded: readAuthority(tx), activation: readActivation(tx, ceremonyId) }));
    const { authorization, authorityUpdates } = call;
    const authority = yield* authorize({
      pins: s.pins,
      nowMs,
      core,
      ceremonyId,
      authorization,
      authorityUpdates,
      recorded: found.recorded,
    });
    if (found.activation) return found.activation;
    yield* transact((tx) => checkRegistrable(tx, core));
    const accepted = yield* acceptShare(s, call, ceremonyId);
    using share = accepted.share;
    return yield* activateLane(s, core, ceremonyId, authority, { ...accepted, share });
  } catch (error) {
    throw error instanceof YaoError ? error.within({ ceremonyId: toHex(ceremonyId) }) : error;
  }
}

/** Opens both packages and checks them against the receipt. @throws YaoError `receipt_invalid`, `package_rejected`, `commitment_mismatch` */
function* acceptShare(s: SigningWorkerSurroundings, call: ActivationCall, ceremonyId: Uint8Array): Program<AcceptedShare> {
  const receipt = yield* checkReceipt({ pins: s.pins, ceremonyId }, call.receipt);
  const { commitments, signingWorkerPackages: digests } = receipt;
  if (!equalBytes(Core.encode(receipt.core), Core.encode(call.core)) || !commitments || !digests) {
    throw new YaoError('receipt_invalid', 'the receipt states another request, or no share for the SigningWorker', {
      party: 'router',
    });
  }
  using a = yield* openPackage(call, ceremonyId, 'deriver-a', call.packageA, digests.a);
  using b = yield* openPackage(call, ceremonyId, 'deriver-b', call.packageB, digests.b);
  const { client, signingWorker } = commitments;
  const sum = s.group.sumOfPoints([client.a, client.b, signingWorker.a, signingWorker.b]);
  if (
    !equalBytes(s.group.baseMultiply(a), signingWorker.a) ||
    !equalBytes(s.group.baseMultiply(b), signingWorker.b) ||
    !equalBytes(sum, receipt.publicKey)
  ) {
    throw new YaoError(
      'commitment_mismatch',
      'the shares do not fit the commitments of the receipt, or these not the public key',
    );
  }
  return {
    receipt,
    share: s.group.addScalars(a, b),
    serverShare: s.group.sumOfPoints([signingWorker.a, signingWorker.b]),
    clientShare: s.group.sumOfPoints([client.a, client.b]),
  };
}

function* openPackage(
  { core }: ActivationCall,
  ceremonyId: Uint8Array,
  source: 'deriver-a' | 'deriver-b',
  envelope: Uint8Array,
  digest: Uint8Array,
): Program<SecretBytes> {
  if (!equalBytes(sha256(envelope), digest)) {
    throw new YaoError('package_rejected', `the package of ${source} is not the one that the receipt names`, { party: 'router' });
  }
  const aad = PackageContext.encode(packageContext({ core, ceremonyId }, source, 'signing-worker'));
  return yield* open({ keyId: core.signingWorkerKeyId, info: packageInfo(source, 'signing-worker'), aad, envelope });
}

/** Signs the activation, then stores lane and activation in one transaction. */
function* activateLane(
  s: SigningWorkerSurroundings,
  core: Core,
  ceremonyId: Uint8Array,
  authority: Authority,
  accepted: AcceptedShare,
): Program<string> {
  const { walletId, keyIndex, lane, laneKey, deployment } = core;
  const { share, serverShare, clientShare, receipt } = accepted;
  const epoch = newEpochOf(core);
  const { publicKey } = receipt;
  const activation: ActivationFields = {
    deployment,
    ceremonyId,
    walletId,
    keyIndex,
    lane,
    epoch,
    state: 'active',
    publicKey,
    serverShare,
    laneKey,
    atMs: s.now(),
  };
  const payload = Activation.encode(activation);
  const compact = toCompact(ACTIVATION_HEADER, payload, yield* sign(signingInput(ACTIVATION_HEADER, payload)));
  const sealedShare = s.sealer.seal(shareContext(core, epoch), share);
  yield* transact((tx) => {
    checkRegistrable(tx, core);
    writeAuthority(tx, authority);
    writePublicKey(tx, keyIndex, publicKey);
    writeLane(tx, core, { epoch, ceremonyId, publicKey, clientShare, serverShare, laneKey, sealedShare });
    writeActivation(tx, ceremonyId, core, compact);
  });
  return compact;
}
