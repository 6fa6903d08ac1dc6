import { equalBytes } from '@streaming-yao/core';
import { idOfCredential } from '@streaming-yao/wire';
import fc from 'fast-check';
import { expect } from 'vitest';
import { MESSAGE, outcomeOf, type TestDevice } from '../device.ts';
import { type Command, command, look } from './commands.ts';
import { CREDENTIALS, type Household, KEYS, type Model, SEATS } from './wallet-model.ts';

type Act = (device: TestDevice, household: Household) => Promise<unknown>;

/** What an operation may end with when another one runs beside it: the user tries again, or hears what has become of the wallet. */
const FAIR =
  /^(done|epoch_conflict|epoch_retired|epoch_mismatch|busy|not_ready|key_exists|authority_mismatch|authorization_invalid|unknown_wallet|invalid_request|ceremony_unknown|ceremony_burned|peer_failed)$/;

const KINDS: Readonly<Record<string, (keyIndex: number, credential: number) => Act>> = {
  register: (keyIndex) => (device) => device.wallet.register({ keyIndex }),
  recover: (keyIndex) => (device) => device.wallet.recover({ keyIndex }),
  'recover, keeping lanes': (keyIndex) => (device) => device.wallet.recover({ keyIndex, keepLanes: true }),
  refresh: (keyIndex) => (device) => device.wallet.refresh({ keyIndex }),
  export: (keyIndex) => (device) => device.wallet.exportKey({ keyIndex, format: 'seed-hex' }),
  sign: (keyIndex) => (device) => device.wallet.sign(MESSAGE, { keyIndex }),
  add: (_, credential) => (device, household) => device.wallet.addCredential(household.credentialOf(credential)),
  remove: (_, credential) => (device, household) => device.wallet.removeCredential(household.credentialOf(credential).id),
};

/** What the roles say and the devices hold, whatever it is. */
async function adoptAll(model: Model, household: Household): Promise<void> {
  const known = [...model.members, ...household.credentials.keys()];
  for (const member of known) {
    const listed = await household
      .visitor(member)
      .wallet.credentials()
      .catch(() => undefined);
    if (!listed) continue;
    model.members.clear();
    for (const [index, { id }] of household.credentials.entries()) {
      if (listed.some((record) => equalBytes(idOfCredential(record), id))) model.members.add(index);
    }
    break;
  }
  const [member] = model.members;
  for (let keyIndex = 0; keyIndex < KEYS; keyIndex++) {
    if (member === undefined) break;
    const lanes = await household
      .visitor(member)
      .wallet.lanes({ keyIndex })
      .catch(() => undefined);
    if (lanes && !model.keys.has(keyIndex))
      model.keys.set(keyIndex, { publicKey: lanes.publicKey, alive: new Set(), nextLane: 0 });
  }
  await look(model, household);
  for (const [seat, held] of model.seats.entries()) {
    held.lanes.clear();
    for (let keyIndex = 0; keyIndex < KEYS; keyIndex++) {
      await household
        .deviceOf(seat)
        .wallet.resume({ keyIndex })
        .catch(() => undefined);
      const status = await household.deviceOf(seat).wallet.status({ keyIndex });
      if (status) held.lanes.set(keyIndex, status.lane);
    }
  }
  await look(model, household);
}

interface Half {
  readonly seat: number;
  /** Whether another tab on the same storage acts. */
  readonly tab: boolean;
  readonly kind: string;
  readonly keyIndex: number;
  readonly credential: number;
}

const half = fc.record<Half>({
  seat: fc.nat(SEATS - 1),
  tab: fc.boolean(),
  kind: fc.constantFrom(...Object.keys(KINDS)),
  keyIndex: fc.nat(KEYS - 1),
  credential: fc.nat(CREDENTIALS - 1),
});

const nameOf = ({ seat, tab, kind, keyIndex, credential }: Half): string =>
  `${kind} (key ${keyIndex}, credential ${credential}) on ${seat}${tab ? ' in another tab' : ''}`;

/** Two operations at once, on two devices or on one. */
export const TOGETHER: fc.Arbitrary<Command> = fc.tuple(half, half).map((halves) =>
  command(halves.map(nameOf).join(' beside '), async (model, household) => {
    const outcomes = await Promise.all(
      halves.map(({ seat, tab, kind, keyIndex, credential }) => {
        const device = tab ? household.tab(seat, model.seats[seat]?.credential ?? 0) : household.deviceOf(seat);
        return outcomeOf(KINDS[kind]?.(keyIndex, credential)(device, household) ?? Promise.reject());
      }),
    );
    for (const outcome of outcomes) expect(outcome).toMatch(FAIR);
    await adoptAll(model, household);
  }),
);
