import { YaoError } from '@streaming-yao/client';
import { type Action, Recordings } from './ceremony/recording.ts';
import type { DeviceWallet } from './device/device-wallet.ts';
import type { Exchange } from './exchanges.ts';
import type { LinkCode } from './link-code.ts';
import type { Tabs } from './tabs.ts';

/** What the page shows. */
export type Screen = 'opening' | 'welcome' | 'create' | 'recover' | 'offer' | 'unfinished' | 'wallet';

/** Which part of the page has to be drawn again. */
export type Change = 'screen' | 'step' | 'recordings';

/** Actions that change what the device keeps: one tab at a time runs them. */
const CHANGING: ReadonlySet<Action> = new Set(['create', 'refresh', 'approve', 'accept', 'recover', 'resume', 'credentials']);

/** The state of the page: which screen, which action runs, what has been recorded. */
export class App {
  readonly wallet: DeviceWallet;
  readonly recordings = new Recordings(() => this.#tell('recordings'));
  readonly #tabs: Tabs;
  readonly #listeners = new Set<(change: Change) => void>();
  #screen: Screen = 'opening';
  #step: string | undefined;
  #running: Action | undefined;
  #followLater = false;
  /** A link code that came with the page's address, until a screen has taken it. */
  linkCode: LinkCode | undefined;
  /** The phrase of a wallet that is being made; it lives in this field only. */
  phrase: string | undefined;

  constructor(wallet: DeviceWallet, tabs: Tabs) {
    this.wallet = wallet;
    this.#tabs = tabs;
  }

  get screen(): Screen {
    return this.#screen;
  }

  /** What the running action waits for: a path of the Router, or `passkey`. */
  get step(): string | undefined {
    return this.#step;
  }

  get running(): Action | undefined {
    return this.#running;
  }

  /** @returns ends the listening */
  listen(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  show(screen: Screen): void {
    if (screen !== 'create') this.phrase = undefined;
    this.#screen = screen;
    this.#tell('screen');
  }

  /** Shows the screen that fits what the device keeps. */
  showWallet(): void {
    const { profile } = this.wallet;
    this.show(profile ? (profile.publicKey ? 'wallet' : 'unfinished') : 'welcome');
  }

  /** Shows the screen that a link code is for. */
  take(code: LinkCode): void {
    this.linkCode = code;
    if (code.kind === 'approval' && !this.wallet.profile) this.show('offer');
    else this.showWallet();
  }

  /** Opens the page: takes up what was interrupted, by itself. */
  async open(): Promise<void> {
    await this.wallet.reload();
    if (this.wallet.profile) await this.run('resume', () => this.wallet.resume()).catch(() => undefined);
    this.showWallet();
  }

  /** Another tab has changed what the device keeps. */
  async follow(): Promise<void> {
    this.#followLater = this.#running !== undefined;
    if (this.#followLater) return;
    const before = this.wallet.profile?.publicKey;
    await this.wallet.reload();
    if (!before || !this.wallet.profile?.publicKey) this.showWallet();
  }

  /**
   * Runs an action; one at a time in this tab.
   * @throws whatever it throws; YaoError `busy` while another one runs
   */
  async run<T>(action: Action, work: () => Promise<T>): Promise<T> {
    if (this.#running) throw new YaoError('busy', 'another action is running', { party: 'client' });
    this.#running = action;
    this.recordings.begin(action);
    this.#tell('step');
    let outcome: 'done' | 'failed' = 'failed';
    try {
      const result = CHANGING.has(action) ? await this.#tabs.alone(work) : await work();
      outcome = 'done';
      if (CHANGING.has(action)) this.#tabs.announce();
      return result;
    } finally {
      this.#running = undefined;
      this.#step = undefined;
      this.recordings.end(outcome);
      this.#tell('step');
      if (this.#followLater) void this.follow();
    }
  }

  /** As {@link run}, but first ends what an earlier attempt has left: a request that was sent need not be made again. */
  async runAgain<T>(action: Action, work: () => Promise<T>, taken: () => Promise<T>): Promise<T> {
    return this.run(action, async () => {
      const resumed = await this.wallet.resume().catch((error: unknown) => {
        if (error instanceof YaoError && error.code === 'peer_failed') throw error;
        return false;
      });
      return resumed ? taken() : work();
    });
  }

  /** Tells the other tabs that this device keeps something else now. */
  announce(): void {
    this.#tabs.announce();
  }

  noteStep(step: string): void {
    if (!this.#running) return;
    this.#step = step;
    this.#tell('step');
  }

  noteExchange(exchange: Exchange): void {
    this.recordings.note(exchange);
  }

  #tell(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }
}
