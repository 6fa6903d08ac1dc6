import { ed25519 } from '@noble/curves/ed25519.js';
import type { LinkFacts } from '@streaming-yao/client';
import { fromHex } from '@streaming-yao/core';
import fc from 'fast-check';
import { expect } from 'vitest';
import { MESSAGE, outcomeOf } from '../device.ts';
import { CREDENTIALS, type Cut, type Household, KEYS, type Model, type ModelKey, SEATS } from './wallet-model.ts';

export type Command = fc.AsyncCommand<Model, Household>;

/** What an operation may end with; `done` stands for success. */
type Outcome = string;

/** Not even its name is known, or a name that the wallet has no such credential under. */
const STRANGER = expect.stringMatching(/^(authorization_invalid|unknown_wallet)$/);

/** A command that every model allows: what ought to come of it depends on the model. */
export function command(name: string, act: (model: Model, household: Household) => Promise<void>): Command {
  return { check: () => true, run: act, toString: () => name };
}

const seatOf = (model: Model, seat: number): Model['seats'][number] => {
  const found = model.seats[seat];
  if (found) return found;
  throw new RangeError(`no seat ${seat}`);
};

const isMember = (model: Model, seat: number): boolean => model.members.has(seatOf(model, seat).credential);

/** Which device acts: one that has a lane of the key, more often than not. */
type Actor = readonly ['holder' | 'any', number];

function acting(model: Model, keyIndex: number, [among, index]: Actor): number {
  const holders = among === 'holder' ? model.seats.flatMap(({ lanes }, seat) => (lanes.has(keyIndex) ? [seat] : [])) : [];
  return holders[index % holders.length] ?? index;
}

/** Where the lane that a device has stands. */
function standing(model: Model, seat: number, key: number): 'none' | 'over' | 'alive' {
  const lane = seatOf(model, seat).lanes.get(key);
  if (lane === undefined) return 'none';
  return model.keys.get(key)?.alive.has(lane) ? 'alive' : 'over';
}

/** After a cut nobody can say how many lanes were begun: the SigningWorker can. */
export async function look(model: Model, household: Household): Promise<void> {
  const [member] = model.members;
  if (member === undefined) return;
  for (const [keyIndex, key] of model.keys) {
    const answer = await household.visitor(member).wallet.lanes({ keyIndex });
    expect(answer.publicKey).toEqual(key.publicKey);
    key.alive = new Set(answer.lanes.map(({ lane }) => lane));
    key.nextLane = answer.nextLane;
  }
}

interface Attempt {
  readonly seat: number;
  readonly cut: Cut | undefined;
  readonly act: () => Promise<unknown>;
}

/** @returns the outcome, and whether a request was cut meanwhile */
async function attempt(model: Model, household: Household, { seat, cut, act }: Attempt): Promise<[Outcome, boolean]> {
  let wasCut = false;
  const outcome = await outcomeOf(
    household
      .through(cut, act, () => household.restart(seat, seatOf(model, seat).credential))
      .then((cutOff) => {
        wasCut = cutOff;
      }),
  );
  return [outcome, wasCut];
}

const newLane = (model: Model, seat: number, keyIndex: number, key: ModelKey, retireOthers: boolean): void => {
  const lane = key.nextLane++;
  key.alive = new Set(retireOthers ? [lane] : [...key.alive, lane]);
  seatOf(model, seat).lanes.set(keyIndex, lane);
};

/** A device's own word for its lane, after a cut. */
async function adopt(model: Model, household: Household, seat: number, keyIndex: number): Promise<void> {
  await look(model, household);
  const status = await household.deviceOf(seat).wallet.status({ keyIndex });
  if (status) seatOf(model, seat).lanes.set(keyIndex, status.lane);
}

const register = (seat: number, keyIndex: number, cut: Cut | undefined): Command =>
  command(`register ${keyIndex} on ${seat} ${told(cut)}`, async (model, household) => {
    const act = () => household.deviceOf(seat).wallet.register({ keyIndex });
    const [outcome] = await attempt(model, household, { seat, cut, act });
    const isFirst = model.keys.size === 0;
    if (!isFirst && !isMember(model, seat)) return expect(outcome).toEqual(STRANGER);
    if (model.keys.has(keyIndex)) return expect(outcome).toBe('key_exists');
    expect(outcome).toBe('done');
    const publicKey = await household.deviceOf(seat).wallet.publicKey({ keyIndex });
    if (isFirst) model.members.add(seatOf(model, seat).credential);
    model.keys.set(keyIndex, { publicKey, alive: new Set([1]), nextLane: 2 });
    seatOf(model, seat).lanes.set(keyIndex, 1);
  });

const recover = (seat: number, keyIndex: number, keepLanes: boolean, cut: Cut | undefined): Command =>
  command(`recover ${keyIndex} on ${seat}${keepLanes ? ', keeping lanes' : ''} ${told(cut)}`, async (model, household) => {
    const key = model.keys.get(keyIndex);
    const act = () => household.deviceOf(seat).wallet.recover({ keyIndex, keepLanes });
    const [outcome, wasCut] = await attempt(model, household, { seat, cut, act });
    if (!key || !isMember(model, seat)) return expect(outcome).toEqual(STRANGER);
    expect(outcome).toBe('done');
    expect(await household.deviceOf(seat).wallet.publicKey({ keyIndex })).toEqual(key.publicKey);
    newLane(model, seat, keyIndex, key, !keepLanes);
    if (wasCut) await adopt(model, household, seat, keyIndex);
    expect(standing(model, seat, keyIndex)).toBe('alive');
  });

const refresh = (actor: Actor, keyIndex: number, cut: Cut | undefined): Command =>
  command(`refresh ${keyIndex} on ${actor} ${told(cut)}`, async (model, household) => {
    const seat = acting(model, keyIndex, actor);
    const act = () => household.deviceOf(seat).wallet.refresh({ keyIndex });
    const [outcome] = await attempt(model, household, { seat, cut, act });
    expect(outcome).toEqual(expectedOfHolder(model, seat, keyIndex));
  });

const exportKey = (actor: Actor, keyIndex: number, cut: Cut | undefined): Command =>
  command(`export ${keyIndex} on ${actor} ${told(cut)}`, async (model, household) => {
    const seat = acting(model, keyIndex, actor);
    let exported: string | Uint8Array = '';
    const act = async () => {
      ({ key: exported } = await household.deviceOf(seat).wallet.exportKey({ keyIndex, format: 'seed-hex' }));
    };
    const [outcome] = await attempt(model, household, { seat, cut, act });
    // A credential decides about the whole key, whatever becomes of this device's lane.
    const expected =
      standing(model, seat, keyIndex) === 'over' && isMember(model, seat) ? 'done' : expectedOfHolder(model, seat, keyIndex);
    expect(outcome).toEqual(expected);
    if (outcome !== 'done') return;
    expect(ed25519.getPublicKey(fromHex(String(exported)))).toEqual(model.keys.get(keyIndex)?.publicKey);
  });

/** What an operation ends with that needs a living lane on the device, and a credential of the wallet's. */
function expectedOfHolder(model: Model, seat: number, keyIndex: number): unknown {
  const lane = standing(model, seat, keyIndex);
  if (lane === 'none') return 'not_ready';
  if (!isMember(model, seat)) return STRANGER;
  return lane === 'over' ? 'epoch_retired' : 'done';
}

const sign = (actor: Actor, keyIndex: number): Command =>
  command(`sign with ${keyIndex} on ${actor}`, async (model, household) => {
    const seat = acting(model, keyIndex, actor);
    let valid: boolean | undefined;
    const act = async () => {
      const { signature } = await household.deviceOf(seat).wallet.sign(MESSAGE, { keyIndex });
      valid = ed25519.verify(signature, MESSAGE, model.keys.get(keyIndex)?.publicKey ?? new Uint8Array(32));
    };
    const expected = { none: 'not_ready', over: 'epoch_retired', alive: 'done' }[standing(model, seat, keyIndex)];
    expect([await outcomeOf(act()), valid]).toEqual([expected, expected === 'done' ? true : undefined]);
  });

const link = (actor: Actor, to: number, keyIndex: number, cut: Cut | undefined): Command =>
  command(`link ${keyIndex} from ${actor} to ${to} ${told(cut)}`, async (model, household) => {
    const from = acting(model, keyIndex, actor);
    const { keys, offer } = household.deviceOf(to).wallet.offerLink();
    let approved: LinkFacts | undefined;
    const act = async () => {
      approved ??= await household.deviceOf(from).wallet.approveLink(offer, { keyIndex });
      await household.deviceOf(to).wallet.acceptLink(approved, keys);
    };
    const [outcome, wasCut] = await attempt(model, household, { seat: from, cut, act });
    const key = model.keys.get(keyIndex);
    if (!key || standing(model, from, keyIndex) === 'none') return expect(outcome).toBe('not_ready');
    if (!isMember(model, from)) return expect(outcome).toEqual(STRANGER);
    expect(outcome).toBe('done');
    newLane(model, to, keyIndex, key, false);
    if (wasCut) await adopt(model, household, to, keyIndex);
    expect(standing(model, to, keyIndex)).toBe('alive');
  });

const addCredential = (seat: number, added: number, cut: Cut | undefined): Command =>
  command(`add credential ${added} on ${seat} ${told(cut)}`, async (model, household) => {
    const act = () => household.deviceOf(seat).wallet.addCredential(household.credentialOf(added));
    const [outcome] = await attempt(model, household, { seat, cut, act });
    if (!isMember(model, seat)) return expect(outcome).toEqual(STRANGER);
    expect(outcome).toBe('done');
    model.members.add(added);
  });

const removeCredential = (seat: number, removed: number, cut: Cut | undefined): Command =>
  command(`remove credential ${removed} on ${seat} ${told(cut)}`, async (model, household) => {
    const act = () => household.deviceOf(seat).wallet.removeCredential(household.credentialOf(removed).id);
    const [outcome] = await attempt(model, household, { seat, cut, act });
    const removable = model.members.has(removed) && model.members.size > 1;
    // The device of a living lane sees for itself that there is nothing to remove.
    if (!isMember(model, seat))
      return expect(outcome).toEqual(
        removable ? STRANGER : expect.stringMatching(/^(authorization_invalid|unknown_wallet|invalid_request)$/),
      );
    if (removable) model.members.delete(removed);
    if (!removable) return expect(outcome).toBe('invalid_request');
    // Repeated after its answer was lost, it finds the credential gone, or is itself of the one that has gone.
    const repeated = /^(done|invalid_request|authorization_invalid|unknown_wallet)$/;
    expect(outcome).toEqual(cut ? expect.stringMatching(repeated) : 'done');
  });

const revoke = (seat: number, keyIndex: number, lane: number): Command =>
  command(`revoke lane ${lane} of ${keyIndex} on ${seat}`, async (model, household) => {
    const outcome = await outcomeOf(household.deviceOf(seat).wallet.revokeLane(lane, { keyIndex }));
    const key = model.keys.get(keyIndex);
    if (!isMember(model, seat)) return expect(outcome).toEqual(STRANGER);
    if (!key) return expect(outcome).toMatch(/^(unknown_wallet|lane_unknown)$/);
    if (lane >= key.nextLane) return expect(outcome).toBe('lane_unknown');
    expect(outcome).toBe('done');
    key.alive = new Set([...key.alive].filter((other) => other !== lane));
  });

/** Which credential a device is given next: one of the wallet's, more often than not. */
type Choice = readonly ['member' | 'any', number];

function chosen(model: Model, [among, index]: Choice): number {
  const members = among === 'member' ? [...model.members] : [];
  return members[index % members.length] ?? index;
}

const restart = (seat: number, choice: Choice): Command =>
  command(`restart ${seat} with credential ${choice}`, async (model, household) => {
    const credential = chosen(model, choice);
    seatOf(model, seat).credential = credential;
    household.restart(seat, credential);
  });

const replace = (seat: number, choice: Choice): Command =>
  command(`replace ${seat}, credential ${choice}`, async (model, household) => {
    const credential = chosen(model, choice);
    Object.assign(seatOf(model, seat), { credential, lanes: new Map() });
    household.replace(seat, credential);
  });

const told = (cut: Cut | undefined): string => (cut ? `(cut: ${cut.lost} ${cut.request})` : '');

/** Whatever came before: each credential of the wallet recovers each key, and the device signs. */
export async function everyMemberRecovers(model: Model, household: Household): Promise<void> {
  for (const member of model.members) {
    for (const [keyIndex, { publicKey }] of model.keys) {
      const { wallet } = household.visitor(member);
      expect((await wallet.recover({ keyIndex })).publicKey).toEqual(publicKey);
      const { signature } = await wallet.sign(MESSAGE, { keyIndex });
      expect(ed25519.verify(signature, MESSAGE, publicKey)).toBe(true);
    }
  }
}

const seat = fc.nat(SEATS - 1);
const key = fc.nat(KEYS - 1);
const credential = fc.nat(CREDENTIALS - 1);
const cut = fc.option(fc.record({ request: fc.nat(5), lost: fc.constantFrom('request', 'answer') }), { nil: undefined, freq: 3 });
const actor: fc.Arbitrary<Actor> = fc.tuple(fc.constantFrom('holder', 'holder', 'holder', 'any'), seat);
const choice: fc.Arbitrary<Choice> = fc.tuple(fc.constantFrom('member', 'member', 'member', 'any'), credential);

/** How a wallet begins. */
export const BEGINNING: fc.Arbitrary<Command> = fc.tuple(seat, key, cut).map((given) => register(...given));

/** Everything that can happen to a wallet, in any order. */
export const COMMANDS: fc.Arbitrary<Command>[] = [
  fc.tuple(seat, key, cut).map((given) => register(...given)),
  fc.tuple(seat, key, fc.boolean(), cut).map((given) => recover(...given)),
  fc.tuple(actor, key, cut).map((given) => refresh(...given)),
  fc.tuple(actor, key, cut).map((given) => exportKey(...given)),
  fc.tuple(actor, key).map((given) => sign(...given)),
  fc.tuple(actor, seat, key, cut).map((given) => link(...given)),
  fc.tuple(seat, credential, cut).map((given) => addCredential(...given)),
  fc.tuple(seat, credential, cut).map((given) => removeCredential(...given)),
  fc.tuple(seat, key, fc.integer({ min: 1, max: 6 })).map((given) => revoke(...given)),
  fc.tuple(seat, choice).map((given) => restart(...given)),
  fc.tuple(seat, choice).map((given) => replace(...given)),
];
