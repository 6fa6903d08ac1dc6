import { sha512 } from '@noble/hashes/sha2.js';
import { fromHex, SecretBytes, toHex, xorBytes } from '@streaming-yao/core';
import { describe, expect, it } from 'vitest';
import {
  CHOICES_BYTES,
  CIRCUIT_IDS,
  type CircuitName,
  EvaluatingSession,
  GarblingSession,
  INPUT_CIPHERTEXT_BYTES,
  OUTPUT_CIPHERTEXT_BYTES,
  PADS_BYTES,
  type Random,
  type SessionContext,
  TABLE_BYTES,
} from '../src/index.ts';
import type { EvaluatorPairing, GarblerPairing } from '../src/ot/pairing.ts';
import { ED25519_ORDER, littleEndianToNumber } from '../src/share/modulus.ts';
import { codeOf, engine, flipped, pairings, tape } from './fixtures.ts';

const FRAME_BYTES = 65_472;

const number = (share: SecretBytes): bigint => share.use(littleEndianToNumber);

/** a = clamp(SHA-512(seed)[0..32]) mod L (RFC 8032 section 5.1.5). */
function scalarOf(seed: Uint8Array): bigint {
  const digest = sha512(seed).subarray(0, 32);
  digest[0] = digest[0]! & 0xf8;
  digest[31] = (digest[31]! & 0x7f) | 0x40;
  return littleEndianToNumber(digest) % ED25519_ORDER;
}

interface Setting {
  readonly name: string;
  readonly circuit?: CircuitName;
  readonly seed?: Uint8Array;
  readonly pair?: { readonly garbler: GarblerPairing; readonly evaluator: EvaluatorPairing };
  readonly counter?: number;
  readonly random?: Random;
  /** What the evaluator believes where the garbler believes otherwise. */
  readonly evaluatorContext?: Partial<SessionContext>;
}

/** Opens both ends of one session; everything is a function of `name`. */
function open(setting: Setting) {
  const { name, circuit = 'activation', seed, pair = pairings(), counter = 0, evaluatorContext = {} } = setting;
  const { random = tape(`session ${name}`) } = setting;
  const context = { ceremonyId: random(32), circuit, profile: 'passive', garblerNonce: random(32) };
  const evaluatorNonce = random(32);
  const garblerInput = random(32);
  const evaluatorInput = seed ? xorBytes(garblerInput, seed) : random(32);
  const garbling = GarblingSession.open({
    kernel: engine,
    ticket: pair.garbler.takeTicket(counter),
    context,
    input: SecretBytes.copy(garblerInput),
    random,
  });
  const evaluating = EvaluatingSession.open({
    kernel: engine,
    ticket: pair.evaluator.takeTicket(counter),
    context: { ...context, ...evaluatorContext },
    evaluatorNonce,
    input: SecretBytes.copy(evaluatorInput),
    random,
  });
  return { garbling, evaluating, evaluatorNonce, seed: xorBytes(garblerInput, evaluatorInput), garblerInput, evaluatorInput };
}

function tables(garbling: GarblingSession): Uint8Array[] {
  const frames: Uint8Array[] = [];
  const frame = new Uint8Array(FRAME_BYTES);
  for (let length = garbling.nextTables(frame); length > 0; length = garbling.nextTables(frame))
    frames.push(frame.slice(0, length));
  return frames;
}

/** Runs a session up to the end of the tables. */
function run(setting: Setting) {
  const session = open(setting);
  const pads = session.garbling.acceptChoices(session.evaluatorNonce, session.evaluating.choices);
  session.evaluating.acceptPads(pads);
  const frames = tables(session.garbling);
  for (const frame of frames) session.evaluating.acceptTables(frame);
  return { ...session, pads, frames };
}

const RFC_8032_SEEDS = {
  'TEST 1': '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
  'TEST 2': '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
  'TEST 3': 'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
  'TEST 1024': 'f5e5767cf153319517630f226876b86c8160cc583bc013744c6bf255f5cc0ee5',
  'TEST SHA(abc)': '833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42',
};

describe('a session', () => {
  it.each(Object.entries(RFC_8032_SEEDS))('shares the scalar and the seed of RFC 8032 %s', (name, hex) => {
    const seed = fromHex(hex);
    const { garbling, evaluating } = run({ name, seed });
    expect(evaluating.complete).toBe(true);
    const outputs = garbling.projectOutputs();
    const inputs = garbling.projectInputs();
    expect(outputs.ciphertexts.length).toBe(OUTPUT_CIPHERTEXT_BYTES);
    expect(inputs.ciphertexts.length).toBe(INPUT_CIPHERTEXT_BYTES);
    const alpha = number(outputs.share);
    const beta = number(evaluating.outputShare(outputs.ciphertexts));
    expect((alpha + beta) % ED25519_ORDER).toBe(scalarOf(seed));
    expect(alpha < ED25519_ORDER && beta < ED25519_ORDER).toBe(true);
    const sum = number(inputs.share) + number(evaluating.inputShare(inputs.ciphertexts));
    expect(sum % ED25519_ORDER).toBe(littleEndianToNumber(seed) % ED25519_ORDER);
  });

  it('exports the seed as XOR shares, without a table', () => {
    const seed = fromHex(RFC_8032_SEEDS['TEST 1']);
    const { garbling, evaluating, frames, garblerInput } = run({ name: 'export', circuit: 'export', seed });
    expect(frames).toEqual([]);
    expect(evaluating.complete).toBe(true);
    const [own, peer] = [garbling.inputColours(), evaluating.inputColours()].map((share) => share.use((bytes) => bytes.slice()));
    expect(toHex(xorBytes(own!, peer!))).toBe(toHex(seed));
    expect(toHex(own!)).not.toBe(toHex(garblerInput));
    const { ciphertexts, share } = garbling.projectInputs();
    expect((number(share) + number(evaluating.inputShare(ciphertexts))) % ED25519_ORDER).toBe(
      littleEndianToNumber(seed) % ED25519_ORDER,
    );
  });

  it('gives other shares, tables and keys every time, for one seed', () => {
    const seed = fromHex(RFC_8032_SEEDS['TEST 2']);
    const runs = ['once', 'twice'].map((name, counter) => run({ name, seed, counter }));
    const shares = runs.map(({ garbling }) => number(garbling.projectOutputs().share));
    expect(shares[0]).not.toBe(shares[1]);
    expect(toHex(runs[0]!.frames[0]!)).not.toBe(toHex(runs[1]!.frames[0]!));
  });

  it('announces exact sizes', () => {
    const { evaluating, pads, frames } = run({ name: 'sizes' });
    expect(evaluating.choices.length).toBe(CHOICES_BYTES);
    expect(CHOICES_BYTES).toBe(6_192);
    expect(pads.length).toBe(PADS_BYTES);
    expect(PADS_BYTES).toBe(8_192);
    expect([OUTPUT_CIPHERTEXT_BYTES, INPUT_CIPHERTEXT_BYTES]).toEqual([8_032, 8_192]);
    expect(frames.reduce((sum, frame) => sum + frame.length, 0)).toBe(TABLE_BYTES.activation);
    expect(TABLE_BYTES.export).toBe(0);
    expect(Object.values(CIRCUIT_IDS).map((id) => id.length)).toEqual([32, 32]);
  });

  it('takes the choices at any time: before, between and after the tables', () => {
    const { garbling, evaluating, evaluatorNonce, seed } = open({ name: 'late choices' });
    const early = new Uint8Array(FRAME_BYTES);
    const length = garbling.nextTables(early);
    const pads = garbling.acceptChoices(evaluatorNonce, evaluating.choices);
    const rest = tables(garbling);
    evaluating.acceptPads(pads);
    for (const frame of [early.subarray(0, length), ...rest]) evaluating.acceptTables(frame);
    const { ciphertexts, share } = garbling.projectOutputs();
    expect((number(share) + number(evaluating.outputShare(ciphertexts))) % ED25519_ORDER).toBe(scalarOf(seed));
  });

  it('runs beside another one without mixing', () => {
    const pair = pairings();
    const sessions = ['left', 'right'].map((name, counter) => open({ name, pair, counter }));
    for (const { garbling, evaluating, evaluatorNonce } of sessions) {
      evaluating.acceptPads(garbling.acceptChoices(evaluatorNonce, evaluating.choices));
    }
    const frame = new Uint8Array(FRAME_BYTES);
    while (sessions.some(({ evaluating }) => !evaluating.complete)) {
      for (const { garbling, evaluating } of sessions) evaluating.acceptTables(frame.subarray(0, garbling.nextTables(frame)));
    }
    for (const { garbling, evaluating, seed } of sessions) {
      const { ciphertexts, share } = garbling.projectOutputs();
      expect((number(share) + number(evaluating.outputShare(ciphertexts))) % ED25519_ORDER).toBe(scalarOf(seed));
    }
  });
});

describe('keys of a session', () => {
  const frameKeys = (session: GarblingSession | EvaluatingSession): string[] =>
    [session.frameKeys.toEvaluator, session.frameKeys.toGarbler].map((key) => key.use((bytes) => toHex(bytes)));

  it('of the frames agree on both sides and differ by direction', () => {
    const { garbling, evaluating } = open({ name: 'frames' });
    expect(frameKeys(garbling)).toEqual(frameKeys(evaluating));
    expect(new Set(frameKeys(garbling)).size).toBe(2);
  });

  it.each<[string, Partial<SessionContext>]>([
    ['ceremony id', { ceremonyId: new Uint8Array(32) }],
    ['circuit', { circuit: 'export' }],
    ['profile', { profile: 'active' }],
    ["garbler's nonce", { garblerNonce: new Uint8Array(32) }],
  ])('depend on the %s', (_, evaluatorContext) => {
    const { garbling, evaluating, evaluatorNonce } = open({ name: 'context', evaluatorContext });
    for (const key of frameKeys(garbling)) expect(frameKeys(evaluating)).not.toContain(key);
    expect(codeOf(() => garbling.acceptChoices(evaluatorNonce, evaluating.choices))).toBe('ot_check_failed');
  });

  it("depend on the evaluator's nonce", () => {
    const { garbling, evaluating, evaluatorNonce } = open({ name: 'nonce' });
    expect(codeOf(() => garbling.acceptChoices(flipped(evaluatorNonce, 9), evaluating.choices))).toBe('ot_check_failed');
  });

  it('depend on the ticket', () => {
    const pair = pairings();
    const first = open({ name: 'ticket', pair, counter: 0 });
    const second = open({ name: 'ticket', pair, counter: 1 });
    for (const key of frameKeys(first.garbling)) expect(frameKeys(second.garbling)).not.toContain(key);
    expect(codeOf(() => first.garbling.acceptChoices(first.evaluatorNonce, second.evaluating.choices))).toBe('ot_check_failed');
  });

  it('depend on the fresh nonce even where a restored backup spends a ticket twice', () => {
    const stored = pairings();
    const copies = [0, 1].map(() => pairings());
    expect(toHex(copies[0]!.garbler.id)).toBe(toHex(stored.garbler.id));
    const [first, second] = copies.map((pair, i) => open({ name: `restored ${i}`, pair }));
    for (const key of frameKeys(first!.garbling)) expect(frameKeys(second!.garbling)).not.toContain(key);
    expect(toHex(tables(first!.garbling)[0]!)).not.toBe(toHex(tables(second!.garbling)[0]!));
  });
});

describe('a session refuses', () => {
  it('a ticket used twice, on both sides', () => {
    const pair = pairings();
    const [garblerTicket, evaluatorTicket] = [pair.garbler.takeTicket(0), pair.evaluator.takeTicket(0)];
    const common = {
      kernel: engine,
      context: { ceremonyId: new Uint8Array(32), circuit: 'export', profile: 'p', garblerNonce: new Uint8Array(32) },
      evaluatorNonce: new Uint8Array(32),
      input: SecretBytes.own(new Uint8Array(32)),
      random: tape('twice'),
    } as const;
    GarblingSession.open({ ...common, ticket: garblerTicket });
    EvaluatingSession.open({ ...common, ticket: evaluatorTicket });
    expect(codeOf(() => GarblingSession.open({ ...common, ticket: garblerTicket }))).toBe('ticket_spent');
    expect(codeOf(() => EvaluatingSession.open({ ...common, ticket: evaluatorTicket }))).toBe('ticket_spent');
  });

  it('inputs, ids and nonces of another length, before it spends the ticket', () => {
    const { garbler, evaluator } = pairings();
    const [garblerTicket, evaluatorTicket] = [garbler.takeTicket(0), evaluator.takeTicket(0)];
    const short = new Uint8Array(31);
    const context = {
      ceremonyId: new Uint8Array(32),
      circuit: 'export',
      profile: 'p',
      garblerNonce: new Uint8Array(32),
    } as const;
    const common = { kernel: engine, context, input: SecretBytes.own(new Uint8Array(32)), random: tape('lengths') };
    for (const wrong of [
      { input: SecretBytes.own(new Uint8Array(33)) },
      { context: { ...context, ceremonyId: short } },
      { context: { ...context, garblerNonce: short } },
    ]) {
      expect(codeOf(() => GarblingSession.open({ ...common, ticket: garblerTicket, ...wrong }))).toBe('invalid_length');
      const options = { ...common, ticket: evaluatorTicket, evaluatorNonce: new Uint8Array(32), ...wrong };
      expect(codeOf(() => EvaluatingSession.open(options))).toBe('invalid_length');
    }
    const options = { ...common, ticket: evaluatorTicket, evaluatorNonce: short };
    expect(codeOf(() => EvaluatingSession.open(options))).toBe('invalid_length');
    const garbling = GarblingSession.open({ ...common, ticket: garblerTicket });
    expect(codeOf(() => garbling.acceptChoices(short, new Uint8Array(CHOICES_BYTES)))).toBe('invalid_length');
  });

  it('altered choices, and is of no use afterwards', () => {
    const { garbling, evaluating, evaluatorNonce } = open({ name: 'altered choices' });
    expect(codeOf(() => garbling.acceptChoices(evaluatorNonce, flipped(evaluating.choices, 12_345)))).toBe('ot_check_failed');
    expect(codeOf(() => garbling.acceptChoices(evaluatorNonce, evaluating.choices))).toBe('frame_invalid');
    expect(codeOf(() => garbling.nextTables(new Uint8Array(64)))).toBe('secret_wiped');
    expect(codeOf(() => garbling.projectInputs())).toBe('secret_wiped');
    expect(codeOf(() => garbling.frameKeys.toEvaluator.use(() => {}))).toBe('secret_wiped');
  });

  it('choices of another peer', () => {
    const one = open({ name: 'peer' });
    const stranger = new Uint8Array(CHOICES_BYTES).map((_, i) => i);
    expect(codeOf(() => one.garbling.acceptChoices(one.evaluatorNonce, stranger))).toBe('ot_check_failed');
  });

  it('pads that are cut, extended or sent twice', () => {
    const { garbling, evaluating, evaluatorNonce } = open({ name: 'pads', circuit: 'export' });
    const pads = garbling.acceptChoices(evaluatorNonce, evaluating.choices);
    expect(codeOf(() => evaluating.acceptPads(pads.subarray(1)))).toBe('frame_invalid');
    expect(codeOf(() => evaluating.acceptPads(Uint8Array.of(...pads, 0)))).toBe('frame_invalid');
    evaluating.acceptPads(pads);
    expect(codeOf(() => evaluating.acceptPads(pads))).toBe('frame_invalid');
    expect(codeOf(() => garbling.acceptChoices(evaluatorNonce, evaluating.choices))).toBe('frame_invalid');
  });

  it('steps out of order', () => {
    const { garbling, evaluating, evaluatorNonce } = open({ name: 'order' });
    expect(evaluating.complete).toBe(false);
    expect(codeOf(() => garbling.projectInputs())).toBe('not_ready');
    expect(codeOf(() => garbling.projectOutputs())).toBe('not_ready');
    expect(codeOf(() => evaluating.acceptTables(new Uint8Array(32)))).toBe('frame_invalid');
    expect(codeOf(() => evaluating.outputShare(new Uint8Array(OUTPUT_CIPHERTEXT_BYTES)))).toBe('not_ready');
    expect(codeOf(() => evaluating.inputShare(new Uint8Array(INPUT_CIPHERTEXT_BYTES)))).toBe('not_ready');
    evaluating.acceptPads(garbling.acceptChoices(evaluatorNonce, evaluating.choices));
    expect(codeOf(() => garbling.projectOutputs())).toBe('not_ready');
    expect(codeOf(() => evaluating.outputShare(new Uint8Array(OUTPUT_CIPHERTEXT_BYTES)))).toBe('not_ready');
  });

  it('shares of the other circuit', () => {
    const activation = run({ name: 'activation only' });
    expect(codeOf(() => activation.garbling.inputColours())).toBe('circuit_mismatch');
    expect(codeOf(() => activation.evaluating.inputColours())).toBe('circuit_mismatch');
    const exporting = run({ name: 'export only', circuit: 'export' });
    expect(codeOf(() => exporting.garbling.projectOutputs())).toBe('circuit_mismatch');
    expect(codeOf(() => exporting.evaluating.outputShare(new Uint8Array(OUTPUT_CIPHERTEXT_BYTES)))).toBe('circuit_mismatch');
  });

  it('ciphertexts of another length or above the order', () => {
    const { garbling, evaluating } = run({ name: 'ciphertexts', circuit: 'export' });
    const { ciphertexts } = garbling.projectInputs();
    const large = ciphertexts.slice();
    large.fill(0xff, 64, 96);
    for (const bytes of [ciphertexts.subarray(32), Uint8Array.of(...ciphertexts, 0), large]) {
      expect(codeOf(() => evaluating.inputShare(bytes))).toBe('frame_invalid');
    }
  });

  it('everything once wiped', () => {
    const { garbling, evaluating } = run({ name: 'wiped', circuit: 'export' });
    const { ciphertexts } = garbling.projectInputs();
    garbling.wipe();
    evaluating.wipe();
    for (const use of [
      () => garbling.projectInputs(),
      () => garbling.inputColours(),
      () => garbling.nextTables(new Uint8Array(32)),
      () => evaluating.inputShare(ciphertexts),
      () => evaluating.inputColours(),
      () => evaluating.frameKeys.toGarbler.use(() => {}),
    ]) {
      expect(codeOf(use)).toBe('secret_wiped');
    }
  });
});

/** Those of `secrets` (16 bytes each) that occur anywhere in `sent`, one look at each position. */
function found(sent: Buffer, secrets: readonly Uint8Array[]): readonly Uint8Array[] {
  const sought = new Map(secrets.map((secret) => [Buffer.from(secret).readUInt32LE(), Buffer.from(secret)]));
  const seen: Uint8Array[] = [];
  for (let at = 0; at + 16 <= sent.length; at++) {
    const secret = sought.get(sent.readUInt32LE(at));
    if (secret && sent.subarray(at, at + 16).equals(secret)) seen.push(Uint8Array.from(secret));
  }
  return seen;
}

describe('what the garbler sends', () => {
  it('never holds delta or a label, and the search would see them', () => {
    const name = 'leak search';
    const { pads, frames, garbling } = run({ name });
    const random = tape(`session ${name}`);
    random(5 * 32);
    const delta = random(16);
    delta[0] = delta[0]! | 1;
    const zero = random(4_096);
    const labels = Array.from({ length: 256 }, (_, i) => zero.slice(16 * i, 16 * i + 16));
    const secrets = [delta, ...labels, ...labels.map((label) => xorBytes(label, delta))];
    const sent = Buffer.concat([pads, ...frames, garbling.projectOutputs().ciphertexts, garbling.projectInputs().ciphertexts]);
    expect(found(sent, secrets)).toEqual([]);
    for (const planted of [delta, secrets[101]!, secrets[300]!]) {
      const tampered = Buffer.from(sent);
      tampered.set(planted, 1_000_003);
      expect(found(tampered, secrets)).toEqual([planted]);
    }
  });

  it('was searched for what the session really drew', () => {
    const drawn: number[] = [];
    const random = tape('session leak search');
    const recording = (length: number): Uint8Array => {
      drawn.push(length);
      return random(length);
    };
    open({ name: 'leak search', random: recording });
    expect(drawn).toEqual([32, 32, 32, 32, 32, 16, 4_096, 16]);
  });
});
