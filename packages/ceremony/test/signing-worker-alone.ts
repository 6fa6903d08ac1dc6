import { type Effect, type Program, run, type Transaction } from '@streaming-yao/ceremony/program';
import type { Sealer, SigningPolicy, SigningWorkerSurroundings } from '@streaming-yao/ceremony/role';
import { handlers } from '@streaming-yao/ceremony/signing-worker';
import { SecretBytes, STANDARD_SETTINGS } from '@streaming-yao/core';
import { loadGroup } from '@streaming-yao/group/node';
import type { Authority, LaneEpoch, Pins } from '@streaming-yao/wire';
import { noteShare, shareContext, slotOf, stageLane, writeAuthority, writeKey, writeLane } from '../src/signing-worker-record.ts';

export const group = loadGroup();
export const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));
export const NOW_MS = 1_800_000_000_000;
export const lane: LaneEpoch = { walletId: 'wallet', keyIndex: 0, lane: 1, epoch: 1 };

/** Keeps what it seals in the clear: these tests are not about that. */
const openSealer: Sealer = {
  seal: (_, secret) => secret.use((bytes) => bytes.slice()),
  open: (_, sealed) => SecretBytes.copy(sealed),
};

/** One object of the SigningWorker without a platform around it, in which every effect and every write is noted. */
export class SigningWorkerAlone {
  readonly #records = new Map<string, Uint8Array>();
  readonly #vault = new Map<string, Uint8Array>();
  readonly #background: Program<unknown>[] = [];
  nowMs = NOW_MS;
  readonly policy: SigningPolicy | undefined;
  #surroundings: SigningWorkerSurroundings;
  /** Kinds of the effects performed, and writes by table, since the last {@link forget}. */
  readonly effects: string[] = [];
  readonly writes: string[] = [];
  /** What happens while an effect of a kind is performed, once. */
  readonly meanwhile = new Map<Effect['kind'], () => Promise<unknown>>();

  constructor(policy?: SigningPolicy) {
    this.policy = policy;
    this.#surroundings = this.#awake();
  }

  /** Gives the object a lane, as if it had been activated. */
  hold(
    serverShare: SecretBytes,
    publicKey: Uint8Array,
    laneKey: Uint8Array,
    epoch = lane.epoch,
    table: 'lane' | 'staged' = 'lane',
  ): void {
    const ceremonyId = new Uint8Array(32).fill(epoch);
    const record = {
      ...{ epoch, ceremonyId, publicKey, laneKey },
      clientShare: publicKey,
      serverShare: group.baseMultiply(serverShare),
      retireOtherLanes: false,
      activatedAtMs: NOW_MS,
    };
    const slot = slotOf(lane, record);
    const tx = this.#transaction();
    noteShare(tx, slot);
    writeKey(tx, lane.keyIndex, { publicKey, nextLane: 2 });
    if (table === 'lane') writeLane(tx, lane, record);
    else stageLane(tx, lane, { lane: record, approvedBy: new Uint8Array(16) }, NOW_MS + 60_000);
    this.#vault.set(`${slot.slot} ${slot.tag}`, openSealer.seal(shareContext(lane, record), serverShare));
    this.forget();
  }

  forget(): void {
    this.effects.length = 0;
    this.writes.length = 0;
  }

  /** The answer; what was put off until after it waits for {@link afterwards}. */
  async ask(path: string, body: unknown): Promise<unknown> {
    const handler = handlers[path];
    if (!handler) throw new Error(`no ${path}`);
    return run(handler.program(this.#surroundings, body), (effect) => {
      const happening = this.meanwhile.get(effect.kind);
      this.meanwhile.delete(effect.kind);
      return happening ? happening().then(() => this.#perform(effect)) : this.#perform(effect);
    });
  }

  async afterwards(): Promise<void> {
    for (const program of this.#background.splice(0)) await run(program, (effect) => this.#perform(effect));
  }

  /** Who may act for the wallet. */
  belongTo(authority: Authority): void {
    writeAuthority(this.#transaction(), authority);
    this.forget();
  }

  /** Memory is gone, what was written is not. */
  restart(): void {
    this.#background.length = 0;
    this.#surroundings = this.#awake();
  }

  #awake(): SigningWorkerSurroundings {
    const pins: Pins = {
      deployment: 'test',
      profile: 'one-account',
      router: new Uint8Array(32),
      deriverA: new Uint8Array(32),
      deriverB: new Uint8Array(32),
      signingWorker: new Uint8Array(32),
    };
    return {
      ...{ pins, group, random, settings: STANDARD_SETTINGS, sealer: openSealer, hpkeKeys: [] },
      memory: new Map(),
      policy: this.policy,
      now: () => this.nowMs,
      background: (program) => void this.#background.push(program),
    };
  }

  #perform(effect: Effect): unknown {
    this.effects.push(effect.kind);
    switch (effect.kind) {
      case 'transact':
        return effect.decide(this.#transaction());
      case 'vault-read':
        return this.#vault.get(`${effect.slot} ${effect.tag}`)?.slice();
      case 'vault-erase':
        return void this.#vault.delete(`${effect.slot} ${effect.tag}`);
      case 'verify':
        return group.verifyEd25519(effect.publicKey, effect.message, effect.signature);
      case 'sign':
        return new Uint8Array(64);
      case 'all':
        return Promise.all(effect.programs.map((program) => run(program, (inner) => this.#perform(inner))));
      default:
        throw new Error(`no ${effect.kind} here`);
    }
  }

  #transaction(): Transaction {
    const name = (table: string, key: string): string => `${table}\n${key}`;
    return {
      get: (table, key) => this.#records.get(name(table, key))?.slice(),
      put: (table, key, value) => {
        this.writes.push(table);
        this.#records.set(name(table, key), value.slice());
      },
      delete: (table, key) => {
        this.writes.push(table);
        this.#records.delete(name(table, key));
      },
      list: (table, prefix, limit) =>
        [...this.#records]
          .filter(([key]) => key.startsWith(name(table, prefix)))
          .map(([key, value]) => ({ key: key.slice(table.length + 1), value: value.slice() }))
          .slice(0, limit),
    };
  }
}
