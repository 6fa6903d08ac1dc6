import type { Effect } from '@streaming-yao/ceremony/program';
import { ROLES, type Role } from '@streaming-yao/wire';
import { Actor, type ActorRole } from './actor.ts';
import { ArrivedStreams } from './arrived-streams.ts';
import { ChannelEnd, type Wire } from './channel.ts';
import type { Device } from './device.ts';
import { Envelopes } from './envelope.ts';
import { HANDLERS } from './handlers.ts';
import type { Answer, Request } from './network.ts';
import { type Opened, Performer } from './perform.ts';
import { RoleHost } from './role-host.ts';
import { MemoryStore, type StoreImage } from './store.ts';
import type { Outcome, Strand, Wait } from './strand.ts';
import { surroundingsOf } from './surroundings.ts';
import type { World } from './world.ts';

/** The objects of all roles, and the devices: each made when it is first asked for. */
export class Objects {
  readonly #world: World;
  readonly #actors = new Map<string, Actor>();
  readonly #performers = new Map<Actor, Performer>();
  readonly #devices = new Map<string, Device>();
  readonly #hosts: Readonly<Record<Role, RoleHost>>;
  readonly #wire: Wire;

  constructor(world: World) {
    this.#world = world;
    this.#hosts = Object.fromEntries(ROLES.map((role) => [role, this.#host(role)])) as Record<Role, RoleHost>;
    this.#wire = {
      after: (delayMs, happen) => world.schedule.after(delayMs, happen),
      fateOf: (frame, from) => {
        world.frameLeft(from, frame);
        return world.faults.frame(frame);
      },
      delivered: (frame, to) => world.frameArrived(to, frame),
    };
  }

  get all(): Iterable<Actor> {
    return this.#actors.values();
  }

  /** What all have stored. */
  get images(): ReadonlyMap<string, StoreImage> {
    const images = new Map(this.#world.options.images);
    for (const { name, store } of this.all) if (store) images.set(name, store.image);
    return images;
  }

  /** An object of a role; `''` names what runs outside of its objects. */
  of(role: Role, object: string): Actor {
    return this.#actor(role, object, object !== '');
  }

  device(device: Device): Actor {
    const actor = this.#actor('client', device.name, true);
    this.#devices.set(actor.name, device);
    return actor;
  }

  serve(request: Request, respond: (answer: Answer) => void): void {
    this.#world.trace(request.role, `is asked ${request.path} by ${request.caller}`);
    this.#world.saw(request.role, 'received', request.bytes);
    this.#hosts[request.role].serve(request, respond);
  }

  perform(actor: Actor, strand: Strand, effect: Effect): Outcome | undefined | Promise<Outcome | undefined> {
    const known = this.#performers.get(actor);
    const performer = known ?? this.#performer(actor);
    if (!known) this.#performers.set(actor, performer);
    return performer.perform(strand, effect);
  }

  #actor(role: ActorRole, object: string, durable: boolean): Actor {
    const name = object ? `${role}/${object}` : role;
    const known = this.#actors.get(name);
    if (known) return known;
    const { options, schedule, records } = this.#world;
    const actor = new Actor({
      role,
      name,
      store: durable ? new MemoryStore(options.images?.get(name)) : undefined,
      tape: options.tape.fork(name),
      streams: new ArrivedStreams(schedule.clock),
    });
    this.#actors.set(name, actor);
    records.setAlarm(actor);
    return actor;
  }

  #host(role: Role): RoleHost {
    const world = this.#world;
    return new RoleHost({
      role,
      handlers: world.options.handlers?.[role] ?? HANDLERS[role],
      object: (name) => this.of(role, name),
      surroundings: (actor) => this.#surroundings(role, actor),
      run: (actor, name, program) => world.start(actor, name, program),
      exchanged: (exchange) => world.exchanged(exchange),
    });
  }

  #surroundings(role: Role, actor: Actor) {
    const world = this.#world;
    const { engine, group, deployment, tape } = world.options;
    return surroundingsOf(role, {
      actor,
      engine,
      group,
      shard: 0,
      keys: deployment.keys[role],
      tape: tape.fork(`${actor.name} sealer`),
      logged: (bytes) => world.saw(role, 'logged', bytes),
      common: {
        pins: deployment.pins,
        now: () => world.clockOf(role),
        background: (program) => void world.start(actor, 'background', program),
      },
    });
  }

  #performer(actor: Actor): Performer {
    const world = this.#world;
    const { role } = actor;
    return new Performer({
      actor,
      envelopes: new Envelopes(world.options.tape.fork(`${actor.name} envelopes`)),
      keys: role === 'client' ? undefined : world.options.deployment.keys[role],
      device: this.#devices.get(actor.name),
      clock: world.schedule.clock,
      aheadMs: () => world.aheadMs(role),
      transact: (decide) => world.records.transact(actor, decide),
      call: (strand, to, path, body, deadlineMs) => world.network.call(strand, actor, { role: to, path, body }, deadlineMs),
      connect: (opened, wait) => this.#connect(actor, opened, wait),
    });
  }

  /** A request for a stream that breaks off is made again, whatever has become of it. */
  #connect(garbler: Actor, opened: Opened, wait: Wait): void {
    const { ceremonyId, shard, opening } = opened;
    const evaluator = this.of('deriver-b', `shard-${shard}`);
    const { delaysMs, broken } = this.#world.faults.message(new Uint8Array(), 'request');
    const [delayMs] = delaysMs;
    if (broken) this.#wire.after(1, () => this.#connect(garbler, opened, wait));
    if (delayMs === undefined) return;
    this.#wire.after(delayMs, () => {
      try {
        evaluator.streams.admit(ceremonyId);
      } catch (error) {
        wait.settle({ error });
        return;
      }
      const [near, far] = ChannelEnd.pair(garbler, evaluator, this.#wire);
      near.send(opening);
      near.flush();
      evaluator.streams.arrive(ceremonyId, far);
      this.#wire.after(1, () => {
        if (broken || !wait.settle({ value: near })) near.close();
      });
    });
  }
}
