import { LIMITS } from '@streaming-yao/core';
import {
  CHOICES_BYTES,
  CIRCUIT_IDS,
  INPUT_CIPHERTEXT_BYTES,
  OUTPUT_CIPHERTEXT_BYTES,
  PADS_BYTES,
  TABLE_BYTES,
} from '@streaming-yao/engine';
import {
  Accept,
  type Core,
  Cosignature,
  Credit,
  FRAME_OVERHEAD_BYTES,
  type FrameKind,
  Open,
  type Operation,
  Output,
  Receipt,
  ReceiptOffer,
  type Traffic,
} from '@streaming-yao/wire';

/** What A and B send each other in one ceremony, from the sizes of the engine and the encodings of the wire. */
export interface Ledger {
  readonly rows: readonly LedgerRow[];
  readonly total: Traffic;
}

export interface LedgerRow {
  readonly kind: FrameKind;
  readonly direction: keyof Traffic;
  readonly frames: number;
  /** Of all these frames, headers and tags included. */
  readonly bytes: number;
}

const circuitOf = (operation: Operation) => (operation === 'export' ? 'export' : 'activation');
const projectsSeed = (operation: Operation): boolean => operation === 'register' || operation === 'export';
const bytes = (length: number): Uint8Array => new Uint8Array(length);
const WORD = bytes(32);
const TICKET = { pairing: WORD, counter: 0 };

/** @param names what the core calls deployment, wallet and keys: the only fields whose length is free */
export type Names = Pick<Core, 'deployment' | 'walletId' | 'deriverAKeyId' | 'deriverBKeyId' | 'signingWorkerKeyId'>;

function coreOf(operation: Operation, names: Names): Core {
  return {
    suite: 'ed25519-sha512-halfgates-blake3',
    profile: 'one-account',
    circuitId: CIRCUIT_IDS[circuitOf(operation)],
    operation,
    keyIndex: 0,
    lane: 0,
    expectedEpoch: 0,
    registeredKey: operation === 'register' ? null : WORD,
    retireOtherLanes: false,
    authority: WORD,
    clientNonce: WORD,
    issuedAtMs: 0,
    expiresAtMs: 0,
    recipientKey: WORD,
    laneKey: WORD,
    requesterKey: WORD,
    ...names,
  };
}

function receiptBytes(operation: Operation, names: Names): number {
  const pair = { a: WORD, b: WORD };
  const exported = operation === 'export';
  const receipt = Receipt.encode({
    core: coreOf(operation, names),
    ceremonyId: WORD,
    grant: WORD,
    ticket: TICKET,
    garblerNonce: WORD,
    evaluatorNonce: WORD,
    transcript: WORD,
    publicKey: WORD,
    commitments: exported ? null : { client: pair, signingWorker: pair },
    seedCommitments: projectsSeed(operation) ? pair : null,
    clientPackages: pair,
    signingWorkerPackages: exported ? null : pair,
    atMs: 0,
  });
  return ReceiptOffer.encode({ receipt, signature: bytes(64) }).length;
}

function outputBytes(operation: Operation): number {
  const exported = operation === 'export';
  return Output.encode({
    outputCiphertexts: exported ? null : bytes(OUTPUT_CIPHERTEXT_BYTES),
    inputCiphertexts: projectsSeed(operation) ? bytes(INPUT_CIPHERTEXT_BYTES) : null,
    commitments: exported ? null : { client: WORD, signingWorker: WORD },
    seedCommitment: projectsSeed(operation) ? WORD : null,
    clientPackage: WORD,
    signingWorkerPackage: exported ? null : WORD,
  }).length;
}

const OPENING: Omit<Open, 'operation' | 'circuitId'> = {
  ceremonyId: WORD,
  grant: WORD,
  ticket: TICKET,
  rootVersion: 1,
  garblerNonce: WORD,
};

/** Whole gates of 32 bytes that fit a frame. */
const TABLE_PAYLOAD_BYTES = Math.floor((LIMITS.frameBytes - FRAME_OVERHEAD_BYTES) / 32) * 32;

/** B grants so many frames as often as it has evaluated so many, while tables remain. */
const CREDIT_STEP = LIMITS.creditStepFrames;

export function ledgerOf(operation: Operation, names: Names): Ledger {
  const tableBytes = TABLE_BYTES[circuitOf(operation)];
  const tableFrames = Math.ceil(tableBytes / TABLE_PAYLOAD_BYTES);
  const credits = Math.max(0, Math.ceil(tableFrames / CREDIT_STEP) - 1);
  const row = (kind: FrameKind, direction: keyof Traffic, frames: number, payload: number): LedgerRow => ({
    kind,
    direction,
    frames,
    bytes: payload + frames * FRAME_OVERHEAD_BYTES,
  });
  const opening = Open.encode({ ...OPENING, operation, circuitId: CIRCUIT_IDS[circuitOf(operation)] });
  const accept = Accept.encode({ evaluatorNonce: WORD, choices: bytes(CHOICES_BYTES) });
  const rows = [
    row('open', 'aToB', 1, opening.length),
    row('accept', 'bToA', 1, accept.length),
    row('tables', 'aToB', tableFrames, tableBytes),
    row('pads', 'aToB', 1, PADS_BYTES),
    row('credit', 'bToA', credits, credits * Credit.encode({ frames: CREDIT_STEP }).length),
    row('output', 'aToB', 1, outputBytes(operation)),
    row('receipt', 'bToA', 1, receiptBytes(operation, names)),
    row('cosignature', 'aToB', 1, Cosignature.encode({ signature: bytes(64) }).length),
  ];
  const sum = (direction: keyof Traffic): number =>
    rows.filter((each) => each.direction === direction).reduce((total, each) => total + each.bytes, 0);
  return { rows, total: { aToB: sum('aToB'), bToA: sum('bToA') } };
}
