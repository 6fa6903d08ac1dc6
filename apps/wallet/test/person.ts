import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';

/** What a virtual authenticator can do; that of a device of today by default. */
export interface AuthenticatorOptions {
  readonly hasPrf?: boolean;
}

/** One device of a person: a browser profile of its own with a platform authenticator of its own. */
export class Person {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly #cdp: CDPSession;
  /** What went wrong on the page, unasked: script errors, violations of the content security policy. */
  readonly complaints: string[] = [];
  authenticatorId = '';

  private constructor(context: BrowserContext, page: Page, cdp: CDPSession) {
    this.context = context;
    this.page = page;
    this.#cdp = cdp;
    this.listen(page);
  }

  static async begin(
    browser: Browser,
    url: string,
    options: AuthenticatorOptions & { readonly locale?: string } = {},
  ): Promise<Person> {
    const context = await browser.newContext({
      locale: options.locale ?? 'en-GB',
      viewport: { width: 1280, height: 900 },
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const page = await context.newPage();
    const person = new Person(context, page, await context.newCDPSession(page));
    await person.addAuthenticator(options);
    await page.goto(url);
    return person;
  }

  listen(page: Page): void {
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        this.complaints.push(message.text());
    });
  }

  /** Plugs an authenticator in (WebAuthn section 11.2); the page sees all of them. */
  async addAuthenticator({ hasPrf = true }: AuthenticatorOptions = {}): Promise<string> {
    await this.#cdp.send('WebAuthn.enable');
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
    this.authenticatorId = authenticatorId;
    return authenticatorId;
  }

  /** The person closes every prompt from now on, or answers again. */
  async setDeclining(declines: boolean): Promise<void> {
    await this.#cdp.send('WebAuthn.setUserVerified', { authenticatorId: this.authenticatorId, isUserVerified: !declines });
  }

  async passkeys(): Promise<number> {
    const { credentials } = await this.#cdp.send('WebAuthn.getCredentials', { authenticatorId: this.authenticatorId });
    return credentials.length;
  }

  /** The same passkeys on another authenticator, whose PRF has other secrets. */
  async changePrf(): Promise<void> {
    const before = this.authenticatorId;
    const { credentials } = await this.#cdp.send('WebAuthn.getCredentials', { authenticatorId: before });
    await this.#cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: before });
    const authenticatorId = await this.addAuthenticator();
    for (const credential of credentials) await this.#cdp.send('WebAuthn.addCredential', { authenticatorId, credential });
  }
}
