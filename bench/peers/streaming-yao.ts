import { SecretBytes } from '@streaming-yao/core';
import {
  answerPairing,
  type Circuit,
  colours,
  type Engine,
  EvaluatingSession,
  type EvaluatorPairing,
  type EvaluatorParty,
  finishPairing,
  type GarblerPairing,
  type GarblerParty,
  GarblingSession,
  NetlistEvaluator,
  NetlistGarbler,
  readBristol,
  startPairing,
} from '@streaming-yao/engine';
import { loadKernel } from '@streaming-yao/engine/node';
import { loadGroup } from '@streaming-yao/group/node';
import { FRAME_BYTES, random } from '../engine-parties.ts';
import { type End, room } from './channel.ts';
import type { Contestant, Run } from './contestant.ts';
import { bitsOf } from './work.ts';

const kernel = loadKernel();
const group = loadGroup();

interface Pairings {
  readonly garbler: GarblerPairing;
  readonly evaluator: EvaluatorPairing;
}

/** An engine whose parties stay at hand, so that a session's outputs can be opened to both instead of shared. */
class OpenEngine {
  garbler: GarblerParty | undefined;
  evaluator: EvaluatorParty | undefined;
  readonly engine: Engine;

  /** @param circuit what to garble by netlist; without one the kernel garbles its own circuit */
  constructor(circuit?: Circuit) {
    this.engine = {
      ...kernel,
      garbler: (options) => {
        this.garbler = circuit ? new NetlistGarbler({ ...options, circuit }) : kernel.garbler(options);
        return this.garbler;
      },
      evaluator: (options) => {
        this.evaluator = circuit ? new NetlistEvaluator({ ...options, circuit }) : kernel.evaluator(options);
        return this.evaluator;
      },
    };
  }

  garblerColours(): Uint8Array {
    return this.#open(this.garbler?.outputZeroLabels());
  }

  evaluatorColours(): Uint8Array {
    return this.#open(this.evaluator?.outputLabels());
  }

  #open(labels: SecretBytes | undefined): Uint8Array {
    if (!labels) throw new Error('the session has made no party');
    const bits = colours(labels);
    const opened = bits.use((bytes) => bytes.slice());
    for (const spent of [labels, bits]) spent.wipe();
    return opened;
  }
}

const ceremonyId = random(32);

async function garblerPairing(peer: End): Promise<GarblerPairing> {
  const { pending, message } = startPairing(group, random, ceremonyId);
  peer.send(message);
  return finishPairing(group, pending, ceremonyId, await peer.next());
}

async function evaluatorPairing(peer: End): Promise<EvaluatorPairing> {
  const { pairing, reply } = answerPairing(group, random, ceremonyId, await peer.next());
  peer.send(reply);
  return pairing;
}

interface Side<Pairing> {
  readonly peer: End;
  readonly pairing: Pairing;
  readonly counter: number;
  readonly input: Uint8Array;
  readonly open: OpenEngine;
}

/** Result bits: the colours of both, added. */
const decode = (own: Uint8Array, others: Uint8Array, bits: number): number[] =>
  bitsOf(own.map((byte, i) => byte ^ (others[i] ?? 0))).slice(0, bits);

async function garble({ peer, pairing, counter, input, open }: Side<GarblerPairing>, bits: number): Promise<number[]> {
  const context = { ceremonyId, circuit: 'activation', profile: 'bench', garblerNonce: random(32) } as const;
  peer.send(context.garblerNonce);
  const secret = SecretBytes.own(input.slice());
  const ticket = pairing.takeTicket(counter);
  const session = GarblingSession.open({ kernel: open.engine, ticket, context, input: secret, random });
  peer.send(session.acceptChoices(await peer.next(), await peer.next()));
  const tables = new Uint8Array(FRAME_BYTES);
  for (let length = session.nextTables(tables); length > 0; length = session.nextTables(tables)) {
    peer.send(tables.subarray(0, length));
    await peer.turn();
  }
  const own = open.garblerColours();
  peer.send(own);
  const others = await peer.next();
  for (const spent of [session, secret]) spent.wipe();
  return decode(own, others, bits);
}

async function evaluate({ peer, pairing, counter, input, open }: Side<EvaluatorPairing>, bits: number): Promise<number[]> {
  const context = { ceremonyId, circuit: 'activation', profile: 'bench', garblerNonce: await peer.next() } as const;
  const [evaluatorNonce, secret] = [random(32), SecretBytes.own(input.slice())];
  const ticket = pairing.takeTicket(counter);
  const session = EvaluatingSession.open({ kernel: open.engine, ticket, context, evaluatorNonce, input: secret, random });
  peer.send(evaluatorNonce);
  peer.send(session.choices);
  session.acceptPads(await peer.next());
  while (!session.complete) session.acceptTables(await peer.next());
  const own = open.evaluatorColours();
  peer.send(own);
  const others = await peer.next();
  for (const spent of [session, secret]) spent.wipe();
  return decode(own, others, bits);
}

/** @param netlist whether to garble the work's circuit gate by gate, instead of the kernel's own */
function contestant(netlist: boolean, pairedBefore: boolean): Contestant {
  return {
    async prepare({ bits, ofSeed }) {
      const circuit = netlist ? readBristol(await ofSeed()) : undefined;
      const pairUp = async (ends: readonly [End, End]): Promise<Pairings> => {
        const [garbler, evaluator] = await Promise.all([garblerPairing(ends[0]), evaluatorPairing(ends[1])]);
        return { garbler, evaluator };
      };
      const before = pairedBefore ? await pairUp(room().ends) : undefined;
      let sessions = 0;
      return (a, b) => async (): Promise<Run> => {
        const { ends, traffic } = room();
        const { garbler, evaluator } = before ?? (await pairUp(ends));
        const common = { counter: before ? sessions++ : 0, open: new OpenEngine(circuit) };
        const results = await Promise.all([
          garble({ ...common, peer: ends[0], pairing: garbler, input: a }, bits),
          evaluate({ ...common, peer: ends[1], pairing: evaluator, input: b }, bits),
        ]);
        return { results, bytes: traffic.bytes };
      };
    },
  };
}

/** The kernel, for the circuit it is made for; the pairing was made before, as it serves many sessions. */
export const kernelSession = contestant(false, true);
/** The same with a pairing of its own for every run. */
export const kernelSessionWithPairing = contestant(false, false);
/** The plain TypeScript engine, which takes any circuit. */
export const netlistSession = contestant(true, true);
