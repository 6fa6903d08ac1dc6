import type { RouterConnection, Storage } from '@streaming-yao/client';
import type { TestDevice } from '../device.ts';
import type { Scene } from './operations.ts';

/** Where an app ends: before or after its n-th request or write. */
export interface ClientStep {
  readonly index: number;
  readonly kind: string;
  readonly when: 'before' | 'after';
}

class Ended extends Error {}

/** An app that ends at one of its steps; whatever it would do afterwards does not happen. */
export class FrailClient {
  readonly steps: string[] = [];
  readonly #at: ClientStep | undefined;
  #ended = false;

  constructor(at?: ClientStep) {
    this.#at = at;
  }

  get ended(): boolean {
    return this.#ended;
  }

  open(scene: Scene): TestDevice {
    const { router } = scene.open();
    return scene.open(this.#storage(scene.storage), this.#connection(router));
  }

  #connection(router: RouterConnection): RouterConnection {
    return (path, body) => this.#step(`ask ${path}`, () => router(path, body));
  }

  #storage(storage: Storage): Storage {
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
    const index = this.steps.length;
    this.steps.push(kind);
    const here = this.#at?.index === index;
    if (here && this.#at?.when === 'before') this.#ended = true;
    const result = await this.#alive(act);
    if (here) this.#ended = true;
    return this.#alive(async () => result);
  }
}
