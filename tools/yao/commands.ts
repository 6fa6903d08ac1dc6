import { open, readFile } from 'node:fs/promises';
import { createRecoveryPhrase, parseKeyFormat, recoveryCredential, wipeDeviceKeys } from '@streaming-yao/client';
import { fromHex, type Json, toBase64Url, toHex, utf8, YaoError } from '@streaming-yao/core';
import { idOfCredential } from '@streaming-yao/wire';
import { group, type OpenedDevice, ownCredential, wholeNumber } from './device.ts';
import { approvalCode, forgetOffered, keepOffered, offerCode, readApproval, readOffer, recallOffered } from './link-code.ts';
import { random } from './place.ts';
import { explanationOf, sessionId, signingSession } from './session.ts';

/** Options that commands share. */
export interface CommandOptions {
  readonly keyIndex: number;
  readonly recovery: boolean;
  readonly keepLanes: boolean;
  readonly format: string | undefined;
  readonly out: string | undefined;
  readonly file: string | undefined;
  readonly hex: string | undefined;
  readonly session: string | undefined;
  readonly explain: boolean;
  readonly prefetch: boolean;
  readonly uses: string;
  readonly minutes: string;
  readonly kinds: string | undefined;
}

/** What a command found: for people, and as data. */
export interface Outcome {
  readonly lines: readonly string[];
  readonly data: { readonly [name: string]: Json };
}

export type Command = (device: OpenedDevice, args: readonly string[], options: CommandOptions) => Promise<Outcome>;

const request = (why: string): YaoError => new YaoError('invalid_request', why, { party: 'client' });

const register: Command = async ({ wallet, place }, _, { keyIndex, recovery }) => {
  const phrase = recovery ? createRecoveryPhrase(random) : undefined;
  const { publicKey } = await wallet.register({
    keyIndex,
    recovery: phrase === undefined ? [] : [recoveryCredential(group, phrase)],
  });
  const derivationConfirmed = await wallet.confirmDerivation({ keyIndex }).catch(() => false);
  const confirmed = derivationConfirmed ? 'derived twice' : 'NOT yet derived twice: run "refresh" before it gets funds';
  const words = phrase === undefined ? [] : ['', 'Recovery phrase, shown once and stored nowhere:', '', phrase];
  return {
    lines: [`wallet      ${place.walletId}`, `public key  ${toHex(publicKey)}  (${confirmed})`, ...words],
    data: { walletId: place.walletId, keyIndex, publicKey: toHex(publicKey), derivationConfirmed, ...(phrase && { phrase }) },
  };
};

async function messageOf(args: readonly string[], { file, hex }: CommandOptions): Promise<Uint8Array> {
  const given = [args[0], file, hex].filter((way) => way !== undefined);
  if (given.length !== 1) throw request('give one message: as text, with --file, or with --hex');
  if (file !== undefined) return new Uint8Array(await readFile(file));
  if (hex === undefined) return utf8(args[0] as string);
  if (!/^([0-9a-f]{2})*$/i.test(hex)) throw request('--hex takes pairs of hexadecimal digits');
  return fromHex(hex);
}

const sign: Command = async ({ wallet }, args, options) => {
  const { keyIndex, explain, prefetch } = options;
  const message = await messageOf(args, options);
  const session = options.session === undefined ? undefined : sessionId(options.session);
  if (prefetch) await wallet.prefetch({ keyIndex });
  const signed = await wallet.sign(message, { keyIndex, session });
  const publicKey = await wallet.publicKey({ keyIndex });
  const [signature, why] = [toHex(signed.signature), explain ? explanationOf(signed) : undefined];
  return {
    lines: [signature, ...(why ? why.lines : [])],
    data: { signature, publicKey: toHex(publicKey), ...(why && { explanation: why.data }) },
  };
};

async function standing({ wallet }: OpenedDevice, keyIndex: number): Promise<Outcome> {
  const status = await wallet.status({ keyIndex });
  if (!status) return { lines: [`no lane of key ${keyIndex} on this device`], data: { keyIndex, lane: null } };
  const { publicKey, lane, epoch, ceremonyId, derivationConfirmed } = status;
  return {
    lines: [
      `public key  ${toHex(publicKey)}${derivationConfirmed ? '' : '  (not yet derived twice)'}`,
      `lane        ${lane}, epoch ${epoch}`,
    ],
    data: { keyIndex, publicKey: toHex(publicKey), lane, epoch, derivationConfirmed, ceremonyId: toHex(ceremonyId) },
  };
}

const refresh: Command = async (device, _, { keyIndex }) => {
  await device.wallet.refresh({ keyIndex });
  return standing(device, keyIndex);
};

const recover: Command = async (device, _, { keyIndex, keepLanes }) => {
  await device.wallet.recover({ keyIndex, keepLanes });
  const own = await ownCredential(device);
  const member = (await device.wallet.credentials()).some((credential) => toHex(idOfCredential(credential)) === toHex(own.id));
  if (!member) await device.wallet.addCredential(own);
  return standing(device, keyIndex);
};

const link: Command = async (device, [step, code], { keyIndex }) => {
  const { wallet, storage, place } = device;
  if (step === 'offer') {
    const { keys, offer } = wallet.offerLink();
    await keepOffered(storage, keys);
    wipeDeviceKeys(keys);
    const text = offerCode(place.walletId, offer);
    return { lines: ['On the other device: link approve', '', text], data: { offer: text } };
  }
  if (code === undefined) throw request('link offer, link approve OFFER, link accept APPROVAL');
  if (step === 'approve') {
    const { walletId, ...offer } = readOffer(code);
    if (walletId !== place.walletId) throw request(`this offer is of wallet ${walletId}, not of ${place.walletId}`);
    const text = approvalCode(await wallet.approveLink(offer, { keyIndex }));
    return { lines: ['On the new device: link accept', '', text], data: { approval: text } };
  }
  if (step !== 'accept') throw request('link offer, link approve OFFER, link accept APPROVAL');
  const facts = readApproval(code);
  const keys = await recallOffered(storage);
  await wallet.acceptLink(facts, keys).finally(() => wipeDeviceKeys(keys));
  await forgetOffered(storage);
  return standing(device, facts.keyIndex);
};

const exportKey: Command = async ({ wallet }, _, { keyIndex, format, out }) => {
  const known = parseKeyFormat(format ?? '');
  if (known === 'pkcs8-der' && out === undefined) throw request('pkcs8-der is bytes: give a file with --out');
  const { key } = await wallet.exportKey({ format: known, keyIndex });
  if (out !== undefined) {
    const file = await open(out, 'wx', 0o600);
    await file.writeFile(key).finally(() => file.close());
    return {
      lines: [`written to ${out}, readable by you only; the key is yours to protect from now on`],
      data: { format: known, out },
    };
  }
  return { lines: [String(key)], data: { format: known, key: String(key) } };
};

const lanes: Command = async ({ wallet }, [step, ...args], { keyIndex }) => {
  const own = await wallet.status({ keyIndex });
  if (step === 'name') {
    const [name, lane = own?.lane.toString()] = args.toReversed();
    if (name === undefined || args.length > 2) throw request('lanes name NAME, or lanes name LANE NAME');
    await wallet.nameLane(wholeNumber(lane, 'the lane to name'), name, { keyIndex });
  } else if (step !== undefined) throw request('lanes, lanes name NAME, lanes name LANE NAME');
  const found = await wallet.lanes({ keyIndex });
  const lines = found.lanes.map(({ lane, epoch, activatedAtMs, name }) => {
    const called = name === null ? '' : `  “${name}”`;
    const here = own?.lane === lane ? '  this device' : '';
    return `lane ${lane}, epoch ${epoch}, since ${new Date(activatedAtMs).toISOString()}${called}${here}`;
  });
  const data = found.lanes.map(({ lane, epoch, activatedAtMs, name }) => {
    return { lane, epoch, activatedAtMs, name, own: own?.lane === lane };
  });
  return { lines, data: { publicKey: toHex(found.publicKey), lanes: data } };
};

const revoke: Command = async ({ wallet }, [lane], { keyIndex }) => {
  const number = wholeNumber(lane, 'the lane to revoke');
  await wallet.revokeLane(number, { keyIndex });
  return { lines: [`lane ${number} signs no more`], data: { revoked: number } };
};

const credentials: Command = async (device, [step, id]) => {
  const { wallet } = device;
  if (step === 'remove') {
    if (id === undefined || !/^[0-9a-f]{32}$/.test(id)) throw request('credentials remove ID, as credentials lists it');
    await wallet.removeCredential(fromHex(id));
  } else if (step === 'add-phrase') {
    const phrase = createRecoveryPhrase(random);
    await wallet.addCredential(recoveryCredential(group, phrase));
    return { lines: ['Recovery phrase, shown once and stored nowhere:', '', phrase], data: { phrase } };
  } else if (step !== undefined) {
    throw request('credentials, credentials add-phrase, credentials remove ID');
  }
  const known = (await wallet.credentials()).map((credential) => ({ id: toHex(idOfCredential(credential)), ...credential }));
  return {
    lines: known.map(({ id: name, kind, purpose, label }) => `${name}  ${kind}, ${purpose}  ${label}`),
    data: { credentials: known.map(({ id: name, kind, purpose, label }) => ({ id: name, kind, purpose, label })) },
  };
};

const status: Command = async (device, [ceremony], { keyIndex }) => {
  if (ceremony === undefined) {
    const { lines, data } = await standing(device, keyIndex);
    return { lines: data.ceremonyId ? [...lines, `ceremony    ${data.ceremonyId}`] : lines, data };
  }
  if (!/^[0-9a-f]{64}$/.test(ceremony)) throw request('a ceremony is 64 hexadecimal digits');
  const { operation, state, failure, answer } = await device.wallet.ceremony(fromHex(ceremony), { keyIndex });
  const receipt = answer && toBase64Url(answer.receipt.payload);
  return {
    lines: [`${operation}: ${state}${failure === null ? '' : `, ${failure}`}`],
    data: { ceremonyId: ceremony, operation, state, failure, receipt: receipt ?? null },
  };
};

const resume: Command = async (device, _, { keyIndex }) => {
  await device.wallet.resume({ keyIndex });
  return standing(device, keyIndex);
};

export const COMMANDS: Readonly<Record<string, Command>> = {
  register,
  sign,
  session: signingSession,
  refresh,
  recover,
  link,
  export: exportKey,
  lanes,
  revoke,
  credentials,
  status,
  resume,
};
