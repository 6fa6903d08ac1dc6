import { type KnownCredential, memoryStorage, type RouterConnection } from '@streaming-yao/client';
import { connectRouterKeepAlive } from '@streaming-yao/client/node';
import { YaoError } from '@streaming-yao/core';
import { type Deployment, newCredential, newWalletId, TestDevice } from '../device.ts';

export const SEATS = 3;
export const CREDENTIALS = 3;
export const KEYS = 2;

/** Which request of an operation does not get through, or whose answer does not. */
export interface Cut {
  readonly request: number;
  readonly lost: 'request' | 'answer';
}

export interface ModelKey {
  readonly publicKey: Uint8Array;
  /** Lanes that sign. */
  alive: ReadonlySet<number>;
  nextLane: number;
}

/** What a wallet ought to be, whatever happened to it. */
export interface Model {
  readonly members: Set<number>;
  readonly keys: Map<number, ModelKey>;
  /** Of each seat: its credential, and its lane of each key, which may be over. */
  readonly seats: readonly { credential: number; lanes: Map<number, number> }[];
}

export const newModel = (): Model => ({
  members: new Set(),
  keys: new Map(),
  seats: Array.from({ length: SEATS }, (_, credential) => ({ credential, lanes: new Map() })),
});

/** A user's devices and credentials, of one wallet of a running deployment. */
export class Household {
  readonly walletId = newWalletId('model');
  readonly credentials: readonly KnownCredential[] = Array.from({ length: CREDENTIALS }, (_, i) =>
    newCredential(`credential ${i}`),
  );
  readonly devices: TestDevice[];
  readonly #deployment: Deployment;
  readonly #connect: RouterConnection;
  /** What goes wrong in the operation under way. */
  #cut: Cut | undefined;
  #requests = 0;
  #wasCut = false;

  constructor(deployment: Deployment) {
    this.#deployment = deployment;
    this.#connect = connectRouterKeepAlive(deployment.routerUrl);
    this.devices = Array.from({ length: SEATS }, (_, seat) => this.#device(seat));
  }

  #device(credential: number, storage = memoryStorage()): TestDevice {
    const router: RouterConnection = async (path, body) => {
      const cut = this.#cut?.request === this.#requests++ ? this.#cut : undefined;
      if (cut) this.#wasCut = true;
      if (cut?.lost === 'request') throw new YaoError('peer_failed', 'the request was lost');
      const answer = await this.#connect(path, body);
      if (cut) throw new YaoError('peer_failed', 'the answer was lost');
      return answer;
    };
    const { walletId } = this;
    return new TestDevice(this.#deployment, { walletId, credential: this.credentialOf(credential), storage, router });
  }

  credentialOf(index: number): KnownCredential {
    const credential = this.credentials[index];
    if (credential) return credential;
    throw new RangeError(`no credential ${index}`);
  }

  deviceOf(seat: number): TestDevice {
    const device = this.devices[seat];
    if (device) return device;
    throw new RangeError(`no device ${seat}`);
  }

  /** The app starts again, with another credential where one is given. */
  restart(seat: number, credential: number): void {
    this.devices[seat] = this.tab(seat, credential);
  }

  /** The app a second time, on the same device. */
  tab(seat: number, credential: number): TestDevice {
    return this.#device(credential, this.deviceOf(seat).storage);
  }

  /** A device is lost, and another one takes its place. */
  replace(seat: number, credential: number): void {
    this.devices[seat] = this.#device(credential);
  }

  /** A device that has nothing but a credential. */
  visitor(credential: number): TestDevice {
    return this.#device(credential);
  }

  /**
   * Carries out an operation during which one request is cut, if it makes so many, and then starts the app again and repeats it.
   * @returns whether it was cut
   */
  async through(cut: Cut | undefined, act: () => Promise<unknown>, restart: () => void): Promise<boolean> {
    this.#requests = 0;
    this.#cut = cut;
    this.#wasCut = false;
    try {
      await act();
      return this.#wasCut;
    } catch (error) {
      if (!this.#wasCut) throw error;
    } finally {
      this.#cut = undefined;
    }
    restart();
    await act();
    return true;
  }
}
