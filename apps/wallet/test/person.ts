import type { Browser, BrowserContext, CDPSession, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

declare global {
  interface Window {
    passkeyPrompts: { asked: string[]; closed: readonly string[]; prfMask: number };
  }
}

/**
 * Runs in the page, before its own scripts: lets a test close a prompt, which a virtual authenticator cannot do without being
 * blocked, and change what a PRF gives.
 */
function hookPrompts(): void {
  const prompts: Window['passkeyPrompts'] = { asked: [], closed: [], prfMask: 0 };
  window.passkeyPrompts = prompts;
  for (const kind of ['create', 'get'] as const) {
    const original = navigator.credentials[kind].bind(navigator.credentials) as (options: object) => Promise<Credential | null>;
    navigator.credentials[kind] = async (options = {}) => {
      prompts.asked.push(kind);
      if (prompts.closed.includes(kind)) throw new DOMException('closed', 'NotAllowedError');
      return original(options);
    };
  }
  const results = PublicKeyCredential.prototype.getClientExtensionResults;
  PublicKeyCredential.prototype.getClientExtensionResults = function () {
    const given = results.call(this);
    const first = given.prf?.results?.first;
    if (!first || prompts.prfMask === 0) return given;
    const masked = new Uint8Array(first as ArrayBuffer).map((byte) => byte ^ prompts.prfMask);
    return { ...given, prf: { results: { first: masked.buffer } } };
  };
}

/** What a device is like; one of today in English by default. */
export interface DeviceTraits {
  readonly hasPrf?: boolean;
  readonly locale?: string;
}

/** A person at one device: a browser profile of its own with a platform authenticator of its own. */
export class Person {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What went wrong on the page, unasked: script errors, violations of the content security policy. */
  readonly complaints: string[] = [];
  readonly #cdp: CDPSession;
  #authenticatorId = '';

  private constructor(context: BrowserContext, page: Page, cdp: CDPSession) {
    this.context = context;
    this.page = page;
    this.#cdp = cdp;
    this.watch(page);
  }

  static async begin(browser: Browser, url: string, { hasPrf = true, locale = 'en-GB' }: DeviceTraits): Promise<Person> {
    const context = await browser.newContext({ locale, viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
    // A busy machine takes long; what is waited for comes or does not come.
    context.setDefaultTimeout(100_000);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await context.addInitScript(hookPrompts);
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    const person = new Person(context, page, cdp);
    await cdp.send('WebAuthn.enable');
    await person.addAuthenticator(hasPrf);
    await page.goto(url);
    return person;
  }

  watch(page: Page): void {
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      const isNetwork = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !isNetwork) this.complaints.push(message.text());
    });
  }

  /** Plugs a virtual authenticator in (WebAuthn section 11.2); {@link passkeys} counts those of the newest one. */
  async addAuthenticator(hasPrf = true, transport: 'internal' | 'usb' = 'internal'): Promise<void> {
    const { authenticatorId } = await this.#cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        ctap2Version: 'ctap2_1',
        transport,
        hasResidentKey: true,
        hasUserVerification: true,
        hasPrf,
        automaticPresenceSimulation: true,
        isUserVerified: true,
      },
    });
    this.#authenticatorId = authenticatorId;
  }

  /**
   * The person uses a second authenticator for a passkey that is made there, once, and then the first one again.
   * @returns settles when they have gone back to the first
   */
  async reachesForSecondAuthenticator(): Promise<{ readonly done: Promise<void> }> {
    const first = this.#authenticatorId;
    await this.addAuthenticator(true, 'usb');
    const second = this.#authenticatorId;
    const touches = async (authenticatorId: string, enabled: boolean): Promise<void> => {
      await this.#cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
    };
    await touches(first, false);
    const asserted = new Promise<void>((resolve) => {
      this.#cdp.once('WebAuthn.credentialAsserted', () => resolve());
    });
    const back = async (): Promise<void> => {
      await asserted;
      await touches(second, false);
      await touches(first, true);
    };
    return { done: back() };
  }

  /** Which prompts the person closes from now on: those that would make a passkey, those that would use one. */
  async closesPrompts(...closed: readonly ('create' | 'get')[]): Promise<void> {
    await this.page.evaluate((kinds) => {
      window.passkeyPrompts.closed = kinds;
    }, closed);
  }

  /** Gives the page other PRF outputs until it is loaded anew, as a faulty provider does. */
  async changePrf(): Promise<void> {
    await this.page.evaluate(() => {
      window.passkeyPrompts.prfMask = 1;
    });
  }

  /** The prompts since the last time, in their order. */
  prompts(): Promise<readonly string[]> {
    return this.page.evaluate(() => window.passkeyPrompts.asked.splice(0));
  }

  /** How many passkeys the authenticator has. */
  async passkeys(): Promise<number> {
    const { credentials } = await this.#cdp.send('WebAuthn.getCredentials', { authenticatorId: this.#authenticatorId });
    return credentials.length;
  }

  press(name: string, within: Page | Locator = this.page): Promise<void> {
    return within.getByRole('button', { name, exact: true }).click();
  }

  /** Unfolds a part of the wallet. */
  async part(name: string): Promise<Locator> {
    const part = this.page.locator(`[data-part="${name}"]`);
    if ((await part.getAttribute('open')) === null) await part.locator('summary').click();
    return part;
  }

  /** Confirms the question that is open. */
  async consent(name: string): Promise<void> {
    await this.press(name, this.page.getByRole('dialog'));
  }

  /** Goes to the phrase and says that it is written down. @returns the phrase */
  async writePhraseDown(): Promise<string> {
    await this.press('Create a wallet');
    const words = await this.page.getByRole('list', { name: 'The 24 words' }).getByRole('listitem').allTextContents();
    await this.page.getByLabel('I have written down').check();
    return words.join(' ');
  }

  /** Creates a wallet with a passkey. @returns the recovery phrase */
  async create(): Promise<string> {
    const phrase = await this.writePhraseDown();
    await this.press('Create with a passkey');
    await this.seesWallet();
    return phrase;
  }

  async recover(phrase: string, keepOthers = false): Promise<void> {
    await this.press('Recover with your phrase');
    await this.page.getByLabel('Recovery phrase').fill(phrase);
    if (keepOthers) await this.page.getByLabel('Keep them').check();
    await this.press('Recover the wallet');
  }

  seesWallet(): Promise<void> {
    return this.sees(this.page.getByRole('heading', { name: 'Your wallet' }));
  }

  /** Waits for something on the page, or for the failure that came instead. */
  async sees(awaited: Locator): Promise<void> {
    const failure = this.page.locator('.failure');
    await awaited.or(failure).first().waitFor();
    if (!(await awaited.isVisible())) throw new Error(`the page says: ${await failure.first().textContent()}`);
  }

  async address(name: 'solana' | 'near'): Promise<string> {
    return (await this.page.locator(`[data-address="${name}"]`).textContent()) ?? '';
  }

  async askToSign(message: string, page = this.page): Promise<void> {
    await page.getByLabel('Message', { exact: true }).fill(message);
    await this.press('Sign', page);
  }

  /** @returns the signature in base58 */
  async sign(message: string, page = this.page): Promise<string> {
    await this.askToSign(message, page);
    const signature = page.locator('.signature');
    await signature.waitFor();
    return (await signature.textContent()) ?? '';
  }

  /** Waits for a failure, which must be of this code. */
  async fails(code: string): Promise<void> {
    const failure = this.page.locator('.failure').first();
    await failure.waitFor();
    expect(await failure.getAttribute('data-code')).toBe(code);
  }
}
