import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fromHex, xorBytes } from '@streaming-yao/core';
import { decodeScalar, L } from '@streaming-yao/group';
import { COMPATIBILITY } from '@streaming-yao/workers/compatibility';
import { bundleWorker } from '../../tools/bundle.ts';
import { freePorts } from '../../tools/ports.ts';
import { until } from '../../tools/processes.ts';

/** Names the connection on which one workerd process takes remote calls of another. */
const CALLS = 'calls';

interface Parts {
  readonly role: string;
  readonly port: number;
  readonly code: string;
  readonly wasm: readonly string[];
  /** Port of the evaluator, for the garbler. */
  readonly calleePort?: number;
}

/** A workerd configuration in Cap'n Proto's text form. */
function configOf({ role, port, code, wasm, calleePort }: Parts): string {
  const modules = [
    `(name = "worker.js", esModule = embed "${code}")`,
    ...wasm.map((name) => `(name = "${name}", wasm = embed "${name}")`),
  ];
  const bindings =
    calleePort === undefined ? [] : ['(name = "B", service = "b")', `(name = "B_URL", text = "http://127.0.0.1:${calleePort}")`];
  const external = `(name = "b", external = (address = "127.0.0.1:${calleePort}", http = (capnpConnectHost = "${CALLS}")))`;
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "${role}", worker = (
      modules = [${modules.join(', ')}],
      compatibilityDate = "${COMPATIBILITY.date}",
      compatibilityFlags = [${COMPATIBILITY.flags.map((flag) => `"${flag}"`).join(', ')}],
      bindings = [${bindings.join(', ')}],
      globalOutbound = "loopback",
    )),
    (name = "loopback", network = (allow = ["private"])),
    ${calleePort === undefined ? '' : external}
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (capnpConnectHost = "${CALLS}"), service = "${role}")],
);
`;
}

async function start(folder: string, role: string, port: number, calleePort?: number): Promise<ChildProcess> {
  const bundle = await bundleWorker(path.join(import.meta.dirname, `${role}.ts`));
  const code = `${role}.js`;
  await writeFile(path.join(folder, code), bundle.code);
  for (const [name, contents] of bundle.wasm) await writeFile(path.join(folder, name), contents);
  const parts = { role, port, code, wasm: [...bundle.wasm.keys()], ...(calleePort !== undefined && { calleePort }) };
  const config = path.join(folder, `${role}.capnp`);
  await writeFile(config, configOf(parts));
  const { default: binary } = createRequire(import.meta.resolve('miniflare'))('workerd') as { default: string };
  const process = spawn(binary, ['serve', '--experimental', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  await until(`start of ${role}`, () =>
    fetch(`http://127.0.0.1:${port}/`, { method: 'HEAD' }).then(
      () => true,
      () => undefined,
    ),
  );
  return process;
}

interface SharesAnswer {
  readonly input: string;
  readonly share: string;
}

/** What the garbler answers: input and share of both, in hex, and how many bytes of frames went both ways. */
export interface JointAnswer {
  readonly own: SharesAnswer;
  readonly other: SharesAnswer;
  readonly bytes: number;
}

/** Whether the shares add up to the clamped first half of SHA-512 of the joined input. */
export function addsUp({ own, other }: JointAnswer): boolean {
  const seed = xorBytes(fromHex(own.input), fromHex(other.input));
  const digest = createHash('sha512').update(seed).digest().subarray(0, 32).reverse();
  const scalar = (BigInt(`0x${digest.toString('hex')}`) & (2n ** 254n - 8n)) | (2n ** 254n);
  return (decodeScalar(fromHex(own.share)) + decodeScalar(fromHex(other.share))) % L === scalar % L;
}

/** Garbler and evaluator in two raw workerd processes, with nothing around them. @param work gets the garbler's address */
export async function withBarePair<T>(work: (garbler: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'streaming-yao-bare-'));
  const [garblerPort = 0, evaluatorPort = 0] = await freePorts(2);
  const running: ChildProcess[] = [];
  try {
    running.push(await start(folder, 'evaluator', evaluatorPort));
    running.push(await start(folder, 'garbler', garblerPort, evaluatorPort));
    return await work(`http://127.0.0.1:${garblerPort}`);
  } finally {
    for (const process of running) {
      // Asked to end, workerd would first wait for every connection that is kept open.
      const ended = once(process, 'exit');
      process.kill('SIGKILL');
      await ended;
    }
    await rm(folder, { recursive: true, force: true });
  }
}
