import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Pins } from '@streaming-yao/wire';
import { build } from 'esbuild';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import type { Stack } from '../../../tools/stack.ts';
import type { PasskeyPage } from './fixtures/passkey-page.ts';

const here = import.meta.dirname;

async function script(): Promise<string> {
  const entry = path.join(here, 'fixtures', 'passkey-page.ts');
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, write: false, format: 'iife', target: 'es2024' });
  return outputFiles[0]?.text ?? '';
}

/** One browser profile with an authenticator of its own, on a page that comes from the Router's origin. */
export class PasskeyDevice {
  readonly page: Page;
  readonly #context: BrowserContext;
  readonly #protocol: CDPSession;
  readonly authenticatorId: string;
  readonly #origin: string;

  private constructor(context: BrowserContext, page: Page, protocol: CDPSession, authenticatorId: string, origin: string) {
    this.#origin = origin;
    this.#context = context;
    this.page = page;
    this.#protocol = protocol;
    this.authenticatorId = authenticatorId;
  }

  static async open(browser: Browser, stack: Stack, { hasPrf = true } = {}): Promise<PasskeyDevice> {
    const context = await browser.newContext();
    const files = new Map([
      ['/test/', { contentType: 'text/html', body: '<!doctype html><script src="/test/page.js"></script>' }],
      [
        '/test/page.js',
        { contentType: 'text/javascript', body: `window.PINS = ${JSON.stringify(Pins.toJson(stack.pins))};\n${await script()}` },
      ],
      [
        '/test/group.wasm',
        { contentType: 'application/wasm', body: await readFile(path.join(here, '..', '..', 'group', 'group.wasm')) },
      ],
    ]);
    await context.route('**/test/**', (route) => {
      const file = files.get(new URL(route.request().url()).pathname);
      return file ? route.fulfill(file) : route.abort();
    });
    const page = await context.newPage();
    const protocol = await context.newCDPSession(page);
    await protocol.send('WebAuthn.enable');
    const { authenticatorId } = await protocol.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', ctap2Version: 'ctap2_1', transport: 'internal', hasPrf },
        ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
      },
    });
    const origin = `http://localhost:${new URL(stack.routerUrl).port}`;
    await page.goto(`${origin}/test/`);
    return new PasskeyDevice(context, page, protocol, authenticatorId, origin);
  }

  /** Does something in the page. @returns the result as text, or the code of the error */
  call(method: string, ...args: readonly string[]): Promise<string> {
    return this.page.evaluate(([name = '', ...rest]) => window.passkeyPage.call(name, ...rest), [method, ...args]);
  }

  set(change: Partial<Pick<PasskeyPage, 'prfMask' | 'dropPrf' | 'prfAtCreation' | 'declines'>>): Promise<unknown> {
    return this.page.evaluate((changed) => Object.assign(window.passkeyPage, changed) && undefined, change);
  }

  /** How often the user was asked by what `action` does. */
  async prompts(action: () => Promise<unknown>): Promise<number> {
    const count = () => this.page.evaluate(() => window.passkeyPage.prompts);
    const before = await count();
    await action();
    return (await count()) - before;
  }

  records(): Promise<readonly string[]> {
    return this.page.evaluate(() => window.passkeyPage.records());
  }

  /** Whether the authenticator recognises its user. Once it has refused often enough it is blocked for good. */
  async recognize(agrees: boolean): Promise<void> {
    const { authenticatorId } = this;
    await this.#protocol.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: agrees });
  }

  async passkeys(): Promise<number> {
    const { authenticatorId } = this;
    return (await this.#protocol.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length;
  }

  /** What an empty device has: the user's passkeys, as a synced keychain brings them, and nothing else. */
  async forget(): Promise<void> {
    await this.page.goto('about:blank');
    await this.#context.clearCookies();
    await this.#protocol.send('Storage.clearDataForOrigin', { origin: this.#origin, storageTypes: 'all' });
    await this.page.goto(`${this.#origin}/test/`);
  }

  async reload(): Promise<void> {
    await this.page.reload();
  }

  async close(): Promise<void> {
    await this.#context.close();
  }
}
