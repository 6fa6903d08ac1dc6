import type { RouterConnection, Storage } from '@streaming-yao/client';
import { CeremonyRequest } from '@streaming-yao/wire';
import type { Actor, Control } from './control.ts';

class Ended extends Error {}

/** An app that takes its steps with leave and ends when it is told to; whatever it would do afterwards does not happen. */
export class FrailApp {
  /** The ceremonies that it has asked for. */
  readonly requests: CeremonyRequest[] = [];
  readonly #actor: Actor;
  readonly #control: Control;
  #ended = false;

  constructor(actor: Actor, control: Control) {
    this.#actor = actor;
    this.#control = control;
  }

  end(): void {
    this.#ended = true;
  }

  connection(router: RouterConnection): RouterConnection {
    return (path, body) =>
      this.#step(`ask ${path}`, () => {
        if (path === '/v1/ceremonies') this.requests.push(CeremonyRequest.fromJson(body));
        return router(path, body);
      });
  }

  storage(storage: Storage): Storage {
    return {
      get: (name) => this.#alive(() => storage.get(name)),
      names: (prefix) => this.#alive(() => storage.names(prefix)),
      set: (name, secret) => this.#step(`${secret ? 'keep' : 'forget'} ${name.split('/')[0]}`, () => storage.set(name, secret)),
    };
  }

  async #alive<T>(act: () => Promise<T>): Promise<T> {
    if (this.#ended) throw new Ended('the app has ended');
    return act();
  }

  async #step<T>(kind: string, act: () => Promise<T>): Promise<T> {
    await this.#alive(() => this.#control.step(this.#actor, `before ${kind}`));
    const result = await this.#alive(act);
    await this.#alive(() => this.#control.step(this.#actor, `after ${kind}`));
    return this.#alive(async () => result);
  }
}
