import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import {
  createRecoveryPhrase,
  ed25519Credential,
  memoryStorage,
  recoveryCredential,
  Wallet,
  YaoError,
} from '@streaming-yao/client';
import { loadGroup } from '@streaming-yao/client/node';
import { SecretBytes, toHex } from '@streaming-yao/core';
import { type CeremonyAnswer, type Pins, PROFILES, type Traffic } from '@streaming-yao/wire';
import { publicKeyOfExport, receiptVerifies, verifiesInNode } from './demo/verify.ts';
import { startStack } from './stack.ts';

const HELP = `npm run demo [-- --json --profile <profile>]

Starts Router, Deriver A, Deriver B and SigningWorker on this machine and leads one wallet through its life:
register, sign, refresh, link a second device, recover on a third, export, import elsewhere.
Everything is checked with node:crypto and jose. The state is deleted at the end.

  --json     the last line of stdout is one JSON object; all else goes to stderr
  --profile  ${PROFILES.join(' | ')}; default ${PROFILES[0]}
  --help     this text
`;

interface Step {
  readonly name: string;
  readonly wallMs: number;
  readonly abBytes: Traffic;
  readonly ok: boolean;
}

interface Outcome {
  /** Bytes between the Derivers; none where they were not called. */
  readonly traffic?: Traffic;
  /** What was verified, for people. */
  readonly checked: string;
  readonly ok: boolean;
}

const NO_TRAFFIC: Traffic = { aToB: 0, bToA: 0 };

/** Runs the steps of the demonstration and remembers how each went. */
class Demonstration {
  readonly steps: Step[] = [];
  readonly #print: (line: string) => void;

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  async step(name: string, action: () => Promise<Outcome>): Promise<void> {
    const before = performance.now();
    const { traffic = NO_TRAFFIC, checked, ok } = await action();
    const wallMs = Math.round((performance.now() - before) * 10) / 10;
    this.steps.push({ name, wallMs, abBytes: traffic, ok });
    const bytes = traffic.aToB > 0 ? `A→B ${traffic.aToB} B, B→A ${traffic.bToA} B` : 'no Deriver called';
    this.#print(`${ok ? '✓' : '✗'} ${name.padEnd(26)} ${wallMs.toFixed(1).padStart(7)} ms  ${bytes.padEnd(34)} ${checked}`);
    if (!ok) throw new Error(`${name}: verification failed: ${checked}`);
  }
}

const equal = (left: Uint8Array, right: Uint8Array): boolean => toHex(left) === toHex(right);
const secret = (): SecretBytes => SecretBytes.own(new Uint8Array(randomBytes(32)));
const group = loadGroup();

interface Place {
  readonly router: string;
  readonly pins: Pins;
  readonly walletId: string;
}

/** A device that has nothing but the app. */
function device(place: Place, credential = ed25519Credential(group, secret(), 'device', 'demo device')): Wallet {
  return new Wallet({ ...place, storage: memoryStorage(), credential, group });
}

interface Summary {
  readonly publicKey: string;
  readonly signature: string;
  readonly receiptVerified: boolean;
}

async function lead(demonstration: Demonstration, place: Place): Promise<Summary> {
  const phrase = createRecoveryPhrase((length) => new Uint8Array(randomBytes(length)));
  const first = device(place);
  const second = device(place);
  const third = device(place, recoveryCredential(group, phrase));
  let publicKey: Uint8Array = new Uint8Array();
  let signature: Uint8Array = new Uint8Array();
  let receiptVerified = true;

  const ceremony = async (
    run: () => Promise<{ readonly publicKey: Uint8Array; readonly answer: CeremonyAnswer }>,
  ): Promise<Outcome> => {
    const made = await run();
    const sameKey = publicKey.length === 0 || equal(made.publicKey, publicKey);
    const receipt = await receiptVerifies(place.pins, made.answer);
    publicKey = made.publicKey;
    receiptVerified &&= receipt;
    return {
      traffic: made.answer.traffic,
      ok: sameKey && receipt,
      checked: `public key ${toHex(publicKey).slice(0, 16)}…, both receipt signatures (jose)`,
    };
  };
  const sign = (wallet: Wallet, text: string) => async (): Promise<Outcome> => {
    const message = new TextEncoder().encode(text);
    const signed = await wallet.sign(message);
    signature = signed.signature;
    const ok = verifiesInNode(publicKey, message, signature);
    const how = signed.poolHit ? 'commitments were at hand' : 'commitments came with the share';
    return { ok, checked: `signature (node:crypto), ${how}` };
  };

  await demonstration.step('register', () => ceremony(() => first.register({ recovery: [recoveryCredential(group, phrase)] })));
  await demonstration.step('sign', sign(first, 'first message'));
  await first.prefetch();
  await demonstration.step('sign again', sign(first, 'second message'));
  await demonstration.step('refresh', () => ceremony(() => first.refresh()));
  await demonstration.step('sign after refresh', sign(first, 'third message'));
  await demonstration.step('link second device', async () => {
    const { keys, offer } = second.offerLink();
    const linked = await second.acceptLink(await first.approveLink(offer), keys);
    return { ok: equal(linked, publicKey), checked: 'the new device has a lane of the same key' };
  });
  await demonstration.step('sign on second device', sign(second, 'fourth message'));
  await demonstration.step('recover from phrase', () => ceremony(() => third.recover()));
  await demonstration.step('sign on third device', sign(third, 'fifth message'));
  await demonstration.step('old device refused', async () => {
    const code = await first.sign(new TextEncoder().encode('stolen')).then(
      () => 'signed',
      (error: unknown) => (error instanceof YaoError ? error.code : String(error)),
    );
    return { ok: code === 'epoch_retired', checked: code };
  });
  await demonstration.step('export', async () => {
    const { key, answer } = await third.exportKey({ format: 'pkcs8-pem' });
    const ok = typeof key === 'string' && equal(publicKeyOfExport(key), publicKey) && (await receiptVerifies(place.pins, answer));
    receiptVerified &&= ok;
    return { traffic: answer.traffic, ok, checked: 'node:crypto imports the key; same public key' };
  });
  return { publicKey: toHex(publicKey), signature: toHex(signature), receiptVerified };
}

function closingTable(steps: readonly Step[]): string {
  const rows = steps.map(
    ({ name, wallMs, abBytes }) =>
      `  ${name.padEnd(26)}${wallMs.toFixed(1).padStart(9)}${String(abBytes.aToB + abBytes.bToA).padStart(12)}`,
  );
  return [`\n  ${'operation'.padEnd(26)}${'ms'.padStart(9)}${'A/B bytes'.padStart(12)}`, ...rows].join('\n');
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { json: { type: 'boolean' }, profile: { type: 'string', default: PROFILES[0] }, help: { type: 'boolean' } },
  });
  if (values.help) return void process.stdout.write(HELP);
  const profile = PROFILES.find((name) => name === values.profile);
  if (!profile) throw new Error(`--profile is one of ${PROFILES.join(', ')}`);
  const print = (line: string): void => void (values.json ? process.stderr : process.stdout).write(`${line}\n`);
  const folder = await mkdtemp(path.join(tmpdir(), 'streaming-yao-demo-'));
  print('starting Router, Deriver A, Deriver B and SigningWorker, each its own process …');
  const stack = await startStack({ folder, profile });
  const demonstration = new Demonstration(print);
  try {
    const place = { router: stack.routerUrl, pins: stack.pins, walletId: `demo-${toHex(new Uint8Array(randomBytes(4)))}` };
    const summary = await lead(demonstration, place);
    print(closingTable(demonstration.steps));
    print(`\n  public key ${summary.publicKey}: a standard Ed25519 key that nobody held before its export`);
    if (values.json)
      process.stdout.write(`${JSON.stringify({ operations: demonstration.steps, ...summary, verifiedBy: 'node:crypto' })}\n`);
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
