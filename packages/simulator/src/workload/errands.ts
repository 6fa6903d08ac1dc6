import { createDeviceKeys, type DeviceKeys, type LinkFacts, publicHalves } from '@streaming-yao/ceremony/client';
import { utf8 } from '@streaming-yao/core';
import type { Outcome } from '../strand.ts';
import type { Tape } from '../tape.ts';
import { changeCredentials } from './credentials.ts';
import { exportKey } from './export.ts';
import { approveLink, revoke } from './lanes.ts';
import { acceptLinked, ownLane, recover, refresh, register, resume } from './obtain.ts';
import type { Script, Step } from './script.ts';
import { sign, signWithoutPresign } from './sign.ts';
import type { Wallet } from './wallet.ts';

/** One user with two devices that have the same credentials; only the phone has a lane at first. */
export interface User {
  readonly phone: Wallet;
  readonly tablet: Wallet;
  readonly tape: Tape;
}

/** Something a user sets out to do. */
export interface Errand {
  readonly name: string;
  /** How often it is chosen. */
  readonly weight: number;
  script(user: User): Script;
}

const ATTEMPTS = 3;
const PAUSE_MS = 3_000;

export const succeeded = (outcome: Outcome | undefined): boolean => outcome !== undefined && 'value' in outcome;

const stepOf = (on: Wallet, name: string, program: Step['program']): Step => ({ on, name, program });

export const steps = {
  register: (on: Wallet): Step => stepOf(on, 'register', (s) => register(s, on)),
  export: (on: Wallet): Step => stepOf(on, 'export', (s) => exportKey(s, on)),
  refresh: (on: Wallet): Step => stepOf(on, 'refresh', (s) => refresh(s, on)),
  recover: (on: Wallet): Step => stepOf(on, 'recover', (s) => recover(s, on)),
  resume: (on: Wallet): Step => stepOf(on, 'resume', (s) => resume(s, on)),
  sign: (on: Wallet, message: Uint8Array, how = sign): Step =>
    stepOf(on, 'sign', function* (s) {
      return yield* how(s, yield* ownLane(on), message);
    }),
  approve: (on: Wallet, keys: DeviceKeys): Step => stepOf(on, 'approve', (s) => approveLink(s, on, publicHalves(s, keys))),
  accept: (on: Wallet, facts: LinkFacts, keys: DeviceKeys): Step => stepOf(on, 'accept', (s) => acceptLinked(s, facts, keys)),
  changeCredentials: (on: Wallet): Step => stepOf(on, 'change credentials', (s) => changeCredentials(s, on)),
  revoke: (on: Wallet, lane: number): Step => stepOf(on, 'revoke', (s) => revoke(s, on, lane)),
};

/** Tries a step again, and ends in between what an attempt has left half done. */
function* insist(step: Step): Script {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const [outcome] = yield [step];
    if (succeeded(outcome)) return;
    yield PAUSE_MS;
    yield [steps.resume(step.on)];
  }
}

/** Some text that has not been signed before. */
export const freshMessage = ({ tape }: User): Uint8Array => utf8(`message ${tape.below(2 ** 24)}`);

const signBothWays = (user: User): Step[] =>
  [sign, signWithoutPresign].map((how) => steps.sign(user.phone, freshMessage(user), how));

function* link(user: User): Script {
  const { phone, tablet, tape } = user;
  const keys = createDeviceKeys({ now: () => 0, random: tape.bytes });
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const [approved] = yield [steps.approve(phone, keys)];
    if (approved && 'value' in approved) {
      const facts = approved.value as LinkFacts;
      for (let asked = 0; asked < ATTEMPTS; asked++) {
        const [accepted] = yield [steps.accept(tablet, facts, keys)];
        if (succeeded(accepted)) return;
        yield PAUSE_MS;
        yield [steps.resume(tablet)];
      }
      return;
    }
    yield PAUSE_MS;
  }
}

/** Steps at once; then each of the devices ends what they have left half done. */
function* atOnce(together: readonly Step[], ...left: readonly Wallet[]): Script {
  yield together;
  for (const device of left) yield* insist(steps.resume(device));
}

/** The phone ends whatever lane the tablet has. */
function* endTablet({ phone, tablet }: User): Script {
  const [own] = yield [stepOf(tablet, 'look', () => ownLane(tablet))];
  if (own && 'value' in own) yield* insist(steps.revoke(phone, (own.value as { readonly lane: number }).lane));
}

/** Everything users do, in one place: a new operation is added here. */
export const ERRANDS: readonly Errand[] = [
  { name: 'sign', weight: 3, script: (user) => insist(steps.sign(user.phone, freshMessage(user))) },
  {
    name: 'sign without a presign',
    weight: 3,
    script: (user) => insist(steps.sign(user.phone, freshMessage(user), signWithoutPresign)),
  },
  { name: 'sign in two tabs', weight: 2, script: (user) => atOnce(signBothWays(user)) },
  { name: 'export', weight: 3, script: ({ phone }) => insist(steps.export(phone)) },
  { name: 'refresh', weight: 3, script: ({ phone }) => insist(steps.refresh(phone)) },
  {
    name: 'refresh while signing',
    weight: 2,
    script: (user) => atOnce([steps.refresh(user.phone), ...signBothWays(user)], user.phone),
  },
  {
    name: 'refresh in two tabs',
    weight: 1,
    script: ({ phone }) => atOnce([steps.refresh(phone), steps.refresh(phone)], phone),
  },
  {
    name: 'export in two tabs',
    weight: 1,
    script: ({ phone }) => atOnce([steps.export(phone), steps.export(phone)]),
  },
  {
    name: 'recover on the tablet while the phone refreshes',
    weight: 2,
    script: ({ phone, tablet }) => atOnce([steps.refresh(phone), steps.recover(tablet)], phone, tablet),
  },
  {
    name: 'recover on both devices',
    weight: 1,
    script: ({ phone, tablet }) => atOnce([steps.recover(phone), steps.recover(tablet)], phone, tablet),
  },
  {
    name: 'register on both devices',
    weight: 2,
    script: ({ phone, tablet }) => atOnce([steps.register(phone), steps.register(tablet)], phone, tablet),
  },
  { name: 'link the tablet', weight: 1, script: link },
  { name: 'change credentials', weight: 2, script: ({ phone }) => insist(steps.changeCredentials(phone)) },
  {
    name: 'change credentials on both devices',
    weight: 1,
    script: ({ phone, tablet }) => atOnce([steps.changeCredentials(phone), steps.changeCredentials(tablet)]),
  },
  {
    name: 'change credentials on the tablet while the phone refreshes',
    weight: 2,
    script: ({ phone, tablet }) => atOnce([steps.refresh(phone), steps.changeCredentials(tablet)], phone),
  },
  {
    name: 'change credentials on the tablet while the phone exports',
    weight: 1,
    script: ({ phone, tablet }) => atOnce([steps.export(phone), steps.changeCredentials(tablet)]),
  },
  { name: 'sign on the tablet', weight: 1, script: (user) => insist(steps.sign(user.tablet, freshMessage(user))) },
  { name: 'recover on the tablet', weight: 1, script: ({ tablet }) => insist(steps.recover(tablet)) },
  { name: 'recover on the phone', weight: 1, script: ({ phone }) => insist(steps.recover(phone)) },
  { name: 'revoke the tablet', weight: 1, script: endTablet },
  { name: 'register', weight: 1, script: ({ phone }) => insist(steps.register(phone)) },
];

/** A few errands as the user's tape has them, by name. */
export function chooseErrands({ tape }: User): readonly string[] {
  const lots = ERRANDS.flatMap(({ name, weight }) => Array.from({ length: weight }, () => name));
  return Array.from({ length: 1 + tape.below(5) }, () => tape.pick(lots));
}

/** What a user does in one run. */
export function* life(user: User, errands: readonly string[]): Script {
  for (const name of errands) {
    const errand = ERRANDS.find((candidate) => candidate.name === name);
    if (!errand) throw new RangeError(`nobody knows the errand ${name}`);
    yield* errand.script(user);
  }
}
