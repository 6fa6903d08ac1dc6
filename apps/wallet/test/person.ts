import type { Browser, BrowserContext, CDPSession, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

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
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
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

  /** Plugs a virtual authenticator in (WebAuthn section 11.2), which from then on is the one that answers. */
  async addAuthenticator(hasPrf = true): Promise<void> {
    const { authenticatorId } = await this.#cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        ctap2Version: 'ctap2_1',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        hasPrf,
        automaticPresenceSimulation: true,
        isUserVerified: true,
      },
    });
    this.#authenticatorId = authenticatorId;
  }

  /** The person closes every prompt from now on, or answers again. */
  async setDeclining(declines: boolean): Promise<void> {
    await this.#cdp.send('WebAuthn.setUserVerified', { authenticatorId: this.#authenticatorId, isUserVerified: !declines });
  }

  onPasskeyMade(listener: () => void): void {
    this.#cdp.on('WebAuthn.credentialAdded', listener);
  }

  async #credentials() {
    return (await this.#cdp.send('WebAuthn.getCredentials', { authenticatorId: this.#authenticatorId })).credentials;
  }

  async passkeys(): Promise<number> {
    return (await this.#credentials()).length;
  }

  /** Moves the passkeys to another authenticator, whose PRF has other secrets. */
  async changePrf(): Promise<void> {
    const credentials = await this.#credentials();
    await this.unplug();
    await this.addAuthenticator();
    for (const credential of credentials) {
      await this.#cdp.send('WebAuthn.addCredential', { authenticatorId: this.#authenticatorId, credential });
    }
  }

  async unplug(): Promise<void> {
    await this.#cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: this.#authenticatorId });
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
