// SHA-512 of 32 bytes over labels, word by word: the same gates in the same order as src/circuit/sha512.ts, without a netlist.

import { ColumnSum } from './column-sum';
import { LABEL, labels } from './memory';
import { emptyQueue, enqueue } from './queue';
import { initialHash, roundConstant } from './sha512-constants';
import {
  ALL,
  BIG_SIGMA_0,
  BIG_SIGMA_1,
  CHOICE,
  knownBits,
  labelAt,
  MAJORITY,
  publicLabel,
  SCHEDULE,
  setConstant,
  setKnown,
  SMALL_SIGMA_0,
  SMALL_SIGMA_1,
  STATE,
  T1,
  valueOf,
  xorRotated,
  xorShifted,
} from './words';

/** The rounds, and after them the additions of the initial hash. */
const LAST_STEP: i32 = 80;

let round: i32 = 0;
/** Column whose choice and majority come next; one more than the column whose additions come with them. */
let column: i32 = 0;
/** Sums of the state, or of the output. */
let activeSums: i32 = 0;
/** The sum of the schedule, while it grows. */
const SCHEDULE_SUM: i32 = 3;
let schedules: bool = false;

// @ts-ignore: decorator
@inline
function stateWord(letter: i32): i32 {
  return STATE + ((letter - round) & 7);
}

// @ts-ignore: decorator
@inline
function scheduleWord(t: i32): i32 {
  return SCHEDULE + (t & 15);
}

/** Place of the label of bit `i` of a byte string held in big-endian 64-bit words. */
function placeOf(word: i32, i: i32): usize {
  return labelAt(word, 8 * (7 - ((i >> 3) & 7)) + (i & 7));
}

/** Takes the 256 input labels and stands before the first gate. */
export function start(): void {
  emptyQueue();
  round = 0;
  column = 0;
  for (let i = 0; i < 8; i++) setConstant(STATE + i, initialHash(i));
  for (let t = 0; t < 4; t++) setKnown(scheduleWord(t), 0, 0);
  for (let i = 0; i < 256; i++) v128.store(placeOf(scheduleWord(i >> 6), i), v128.load(labels + <usize>i * LABEL));
  for (let t = 4; t < 16; t++) setConstant(scheduleWord(t), t == 4 ? 1 << 63 : t == 15 ? 256 : 0);
  beginRound();
}

/** Writes the labels of the first 32 digest bytes; only after the last gate. */
export function finish(): void {
  for (let i = 0; i < 256; i++) v128.store(labels + <usize>i * LABEL, v128.load(placeOf(stateWord(i >> 6), i)));
}

/** Queues the gates that come next, possibly none; false when the digest is complete. */
export function collect(): bool {
  if (column > 64) {
    if (round == LAST_STEP) return false;
    round++;
    column = 0;
    beginRound();
  }
  if (column > 0) for (let i = 0; i < activeSums; i++) addColumn(i);
  if (column < 64 && round >= 2 && round < LAST_STEP) chooseAndVote(column);
  if (column > 0 && schedules) addColumn(SCHEDULE_SUM);
  column++;
  return true;
}

function addColumn(sum: i32): void {
  if (column < 64) ColumnSum.at(sum).column(column - 1);
  else ColumnSum.at(sum).topColumn();
}

function chooseAndVote(i: i32): void {
  const a = v128.load(labelAt(stateWord(0), i));
  const b = v128.load(labelAt(stateWord(1), i));
  const c = v128.load(labelAt(stateWord(2), i));
  const e = v128.load(labelAt(stateWord(4), i));
  const f = v128.load(labelAt(stateWord(5), i));
  const g = v128.load(labelAt(stateWord(6), i));
  enqueue(e, v128.xor(f, g), g, labelAt(CHOICE, i));
  enqueue(v128.xor(a, b), v128.xor(a, c), a, labelAt(MAJORITY, i));
}

/** Choice and majority while two of their three words are public: they are linear. */
function chooseAndVoteLinear(): void {
  const b = valueOf(stateWord(1));
  const c = valueOf(stateWord(2));
  const f = valueOf(stateWord(5));
  const g = valueOf(stateWord(6));
  if (round == 0) {
    const a = valueOf(stateWord(0));
    const e = valueOf(stateWord(4));
    setConstant(CHOICE, g ^ (e & (f ^ g)));
    setConstant(MAJORITY, a ^ ((a ^ b) & (a ^ c)));
    return;
  }
  setKnown(CHOICE, ~(f ^ g), g);
  setKnown(MAJORITY, ~(b ^ c), b);
  for (let i = 0; i < 64; i++) {
    v128.store(labelAt(CHOICE, i), v128.xor(v128.load(labelAt(stateWord(4), i)), publicLabel(<u32>(g >> i))));
    v128.store(labelAt(MAJORITY, i), v128.load(labelAt(stateWord(0), i)));
  }
}

function beginRound(): void {
  schedules = round >= 15 && round < 79;
  if (round == LAST_STEP) return beginOutput();
  xorRotated(BIG_SIGMA_0, stateWord(0), 28, 34, 39);
  xorRotated(BIG_SIGMA_1, stateWord(4), 14, 18, 41);
  if (round < 2) {
    chooseAndVoteLinear();
  } else {
    setKnown(CHOICE, 0, 0);
    setKnown(MAJORITY, 0, 0);
  }
  activeSums = 0;
  beginStateSums();
  if (schedules) beginScheduleSum();
}

function nextSum(constant: u64): ColumnSum {
  return ColumnSum.at(activeSums++).begin(constant);
}

function beginStateSums(): void {
  const d = stateWord(3);
  const h = stateWord(7);
  const constant = roundConstant(round);
  if (round == 79) {
    const last = nextSum(constant + initialHash(0)).add(h).add(BIG_SIGMA_1).add(scheduleWord(round));
    last.add(CHOICE).add(BIG_SIGMA_0).add(MAJORITY).into(h);
    return;
  }
  if (knownBits(d) == ALL) {
    const dValue = valueOf(d);
    nextSum(constant).add(h).add(d).add(BIG_SIGMA_1).add(scheduleWord(round)).add(CHOICE).into(d);
    nextSum(-dValue).add(d).add(BIG_SIGMA_0).add(MAJORITY).into(h);
    return;
  }
  nextSum(constant).add(h).add(BIG_SIGMA_1).add(scheduleWord(round)).add(CHOICE).into(T1);
  nextSum(0).add(T1).add(d).into(d);
  nextSum(0).add(T1).add(BIG_SIGMA_0).add(MAJORITY).into(h);
}

function beginScheduleSum(): void {
  xorShifted(SMALL_SIGMA_1, scheduleWord(round - 1), 19, 61, 6);
  xorShifted(SMALL_SIGMA_0, scheduleWord(round - 14), 1, 8, 7);
  const next = scheduleWord(round + 1);
  const sum = ColumnSum.at(SCHEDULE_SUM).begin(0);
  sum.add(SMALL_SIGMA_1).add(scheduleWord(round - 6)).add(SMALL_SIGMA_0).add(next).into(next);
}

/** The first output word was completed by the last round. */
function beginOutput(): void {
  activeSums = 0;
  for (let letter = 1; letter < 4; letter++) {
    nextSum(initialHash(letter)).add(stateWord(letter)).into(stateWord(letter));
  }
}
