const CHANNEL = 'streaming-yao.wallet';
const LOCK = 'streaming-yao.change';

/** Several tabs of one browser share one wallet: they tell each other of changes, and change it one after the other. */
export class Tabs {
  readonly #channel = new BroadcastChannel(CHANNEL);

  /** @param changed another tab has changed what this device keeps */
  constructor(changed: () => void) {
    this.#channel.addEventListener('message', changed);
  }

  announce(): void {
    this.#channel.postMessage('changed');
  }

  /** Runs `change` while no other tab runs one. */
  async alone<T>(change: () => Promise<T>): Promise<T> {
    const result: Awaited<T> = await navigator.locks.request(LOCK, change);
    return result;
  }
}
