import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../../../tools/browser.ts';
import { type Stack, startStack } from '../../../tools/stack.ts';
import { type DeviceTraits, Person } from './person.ts';

/** The real roles with the wallet page, and a real browser to look at it. */
export class Place {
  readonly stack: Stack;
  /** Passkeys belong to a domain: the page is at `localhost`. */
  readonly url: string;
  readonly #browser: Browser;
  readonly #people: Person[] = [];

  private constructor(stack: Stack, browser: Browser) {
    this.stack = stack;
    this.url = `${stack.routerUrl.replace('127.0.0.1', 'localhost')}/`;
    this.#browser = browser;
  }

  static async open(): Promise<Place> {
    const folder = await mkdtemp(path.join(tmpdir(), 'wallet-page-'));
    const [stack, browser] = await Promise.all([startStack({ folder, page: true, endOnSignal: false }), launchBrowser()]);
    return new Place(stack, browser);
  }

  /** A device that has never seen the page. */
  async device(traits: DeviceTraits = {}, hash = ''): Promise<Person> {
    const person = await Person.begin(this.#browser, `${this.url}${hash}`, traits);
    this.#people.push(person);
    return person;
  }

  /** Errors of scripts and violations of the content security policy, on all devices. */
  get complaints(): readonly string[] {
    return this.#people.flatMap(({ complaints }) => complaints);
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.stack.stop();
    await rm(this.stack.folder, { recursive: true, force: true });
  }
}
