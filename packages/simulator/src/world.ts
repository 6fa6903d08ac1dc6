import type { Effect, Program } from '@streaming-yao/ceremony/program';
import type { ClientSurroundings } from '@streaming-yao/ceremony/role';
import type { Role } from '@streaming-yao/wire';
import type { Actor, ActorRole } from './actor.ts';
import type { ChannelEnd } from './channel.ts';
import type { Deployment } from './deployment.ts';
import type { Device } from './device.ts';
import { calm, type Faults } from './faults.ts';
import type { RoleHandlers } from './handlers.ts';
import { Network } from './network.ts';
import { Objects } from './objects.ts';
import type { Exchange, Observer, Sight } from './observer.ts';
import { Records } from './records.ts';
import { Schedule } from './schedule.ts';
import type { StoreImage } from './store.ts';
import { type Outcome, Strand, Task } from './strand.ts';
import type { Mathematics } from './surroundings.ts';
import type { Tape } from './tape.ts';

export interface WorldOptions extends Mathematics {
  readonly tape: Tape;
  readonly nowMs: number;
  readonly deployment: Deployment;
  /** Durable records that the world begins with, by actor. */
  readonly images?: ReadonlyMap<string, StoreImage>;
  readonly observers?: readonly Observer[];
  /** For tests: other programs in a role's place. */
  readonly handlers?: Partial<Readonly<Record<Role, RoleHandlers>>>;
  /** For tests: another effect in the place of one that a program asked for. */
  readonly amend?: (actor: Actor, effect: Effect) => Effect;
  /** Receives one line per event. */
  readonly trace?: (line: string) => void;
}

/** All roles and the users' devices, on one virtual network and clock. */
export class World {
  readonly schedule: Schedule;
  readonly options: WorldOptions;
  readonly network: Network;
  readonly objects: Objects;
  readonly records: Records;
  faults: Faults;
  readonly #observers: readonly Observer[];
  readonly #aheadMs = new Map<ActorRole, number>();

  constructor(options: WorldOptions) {
    this.options = options;
    this.#observers = options.observers ?? [];
    this.schedule = new Schedule(options.tape.fork('schedule'), options.nowMs);
    const delays = options.tape.fork('delays');
    this.faults = calm(() => 1 + delays.below(20));
    const faults = (): Faults => this.faults;
    this.records = new Records({
      clock: this.schedule.clock,
      faults,
      observers: this.#observers,
      clockOf: ({ role }) => this.clockOf(role),
      crash: (actor, why) => this.crash(actor, why),
    });
    this.objects = new Objects(this);
    this.network = new Network({
      schedule: this.schedule,
      faults,
      saw: (role, sight, bytes) => this.saw(role, sight, bytes),
      serve: (request, respond) => this.objects.serve(request, respond),
    });
  }

  get nowMs(): number {
    return this.schedule.clock.nowMs;
  }

  /** How far a role's clock is ahead of the virtual one. */
  aheadMs(role: ActorRole): number {
    return this.#aheadMs.get(role) ?? 0;
  }

  /** What a role's clock shows. */
  clockOf(role: ActorRole): number {
    return this.nowMs + this.aheadMs(role);
  }

  setClock(role: ActorRole, aheadMs: number): void {
    this.trace(role, `has its clock ${aheadMs} ms ahead`);
    this.#aheadMs.set(role, aheadMs);
  }

  /** What the programs of a device run under. */
  client(device: Device): { readonly actor: Actor; readonly surroundings: ClientSurroundings } {
    const actor = this.objects.device(device);
    const { deployment, group } = this.options;
    const now = (): number => this.clockOf('client');
    return { actor, surroundings: { pins: deployment.pins, group, now, random: actor.random } };
  }

  /** Starts a program under an actor. */
  start(actor: Actor, name: string, program: Program<unknown>): Task {
    const task = new Task(actor, name, this.nowMs);
    actor.tasks.add(task);
    this.trace(actor.name, `starts ${name}`);
    for (const observer of this.#observers) observer.taskStarted?.(task);
    const { schedule } = this;
    const perform = async (strand: Strand, asked: Effect): Promise<Outcome | undefined> => {
      const effect = this.options.amend?.(actor, asked) ?? asked;
      if (!strand.task.live) return undefined;
      this.trace(actor.name, `does ${describe(effect)}`);
      for (const observer of this.#observers) observer.performing?.(actor, effect);
      const outcome = await this.objects.perform(actor, strand, effect);
      if (outcome) for (const observer of this.#observers) observer.performed?.(actor, effect, outcome);
      return outcome;
    };
    new Strand(program, { task, schedule, perform, onEnd: (outcome) => this.#ended(task, outcome) });
    return task;
  }

  #ended(task: Task, outcome: Outcome): void {
    task.actor.tasks.delete(task);
    this.trace(task.actor.name, `ends ${task.name}${'error' in outcome ? `: ${String(outcome.error)}` : ''}`);
    for (const observer of this.#observers) observer.taskEnded?.(task, outcome);
    task.end(outcome);
  }

  /** The object loses its memory and its programs and keeps its committed records. */
  crash(actor: Actor, why: string): void {
    this.trace(actor.name, `crashes: ${why}`);
    actor.crash();
  }

  /** Lets one thing happen. @returns whether anything could before `untilMs` */
  async step(untilMs?: number): Promise<boolean> {
    this.faults.disturb(this);
    const happened = await this.schedule.step(untilMs);
    for (const observer of this.#observers) observer.stepped?.(this);
    return happened;
  }

  /** Lets everything happen that happens within a time. */
  async drain(withinMs: number): Promise<void> {
    const untilMs = this.nowMs + withinMs;
    while (await this.step(untilMs));
    this.schedule.clock.passUntil(untilMs);
  }

  /** Runs until a task has ended. */
  async settle(task: Task): Promise<Outcome> {
    let outcome: Outcome | undefined;
    task.whenEnded((ended) => {
      outcome = ended;
    });
    while (!outcome && (await this.step()));
    return outcome ?? { error: new Error(`${task.name} never ended`) };
  }

  saw(role: ActorRole, sight: Sight, bytes: Uint8Array): void {
    for (const observer of this.#observers) observer.saw?.(role, sight, bytes);
  }

  frameLeft(from: ChannelEnd, frame: Uint8Array): void {
    this.saw(from.actor.role, 'sent', frame);
    for (const observer of this.#observers) observer.frameLeft?.(from, frame);
  }

  frameArrived(to: ChannelEnd, frame: Uint8Array): void {
    this.saw(to.actor.role, 'received', frame);
    for (const observer of this.#observers) observer.frameArrived?.(to, frame);
  }

  exchanged(exchange: Exchange): void {
    for (const observer of this.#observers) observer.exchanged?.(exchange);
  }

  trace(who: string, what: string): void {
    this.options.trace?.(`${this.schedule.steps} ${this.nowMs - this.options.nowMs} ms: ${who} ${what}`);
  }
}

function describe(effect: Effect): string {
  switch (effect.kind) {
    case 'call':
      return `call ${effect.role} ${effect.path}`;
    case 'ask':
      return `ask ${effect.path}`;
    case 'send':
      return `send ${effect.frame.length} bytes`;
    default:
      return effect.kind;
  }
}
