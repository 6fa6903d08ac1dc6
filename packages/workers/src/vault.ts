import { YaoError } from '@streaming-yao/core';
import type { DurableObjectNamespace, DurableObjectState } from './platform.ts';

/**
 * The SigningWorker's sealed shares, each slot in a Durable Object of its own: deleting a row leaves its bytes in the
 * database and its log, and only an object's storage can be erased as a whole.
 */
export class Vault {
  readonly #slots: DurableObjectNamespace;

  constructor(slots: DurableObjectNamespace) {
    this.#slots = slots;
  }

  /** Replaces what the slot holds; durable when it settles. */
  async write(slot: string, tag: string, sealed: Uint8Array): Promise<void> {
    await this.#ask(slot, 'PUT', tag, sealed);
  }

  /** @returns the slot's bytes if they were written under `tag` */
  async read(slot: string, tag: string): Promise<Uint8Array | undefined> {
    const response = await this.#ask(slot, 'GET', tag);
    return response.status === 200 ? new Uint8Array(await response.arrayBuffer()) : undefined;
  }

  /** Removes the slot's bytes from the disk if they were written under `tag`; settles when they are gone. */
  async erase(slot: string, tag: string): Promise<void> {
    await this.#ask(slot, 'DELETE', tag);
  }

  async #ask(slot: string, method: 'PUT' | 'GET' | 'DELETE', tag: string, body?: Uint8Array): Promise<Response> {
    const object = this.#slots.get(this.#slots.idFromName(slot)) as unknown as { fetch: typeof fetch };
    const init = { method, ...(body && { body: body as BodyInit }) };
    const response = await object.fetch(`http://slot/?tag=${encodeURIComponent(tag)}`, init);
    if (response.status < 500) return response;
    throw new YaoError('busy', 'the vault of shares does not answer; try again in a moment', { party: 'signing-worker' });
  }
}

/** One slot. Reached through {@link Vault} only, never from outside. */
export class VaultSlot {
  readonly #storage: DurableObjectState['storage'];

  constructor(state: DurableObjectState) {
    this.#storage = state.storage;
  }

  async fetch(request: Request): Promise<Response> {
    const tag = new URL(request.url).searchParams.get('tag') ?? '';
    if (request.method === 'PUT') {
      const sealed = await request.arrayBuffer();
      await this.#storage.put({ tag, sealed });
      return new Response(null, { status: 204 });
    }
    const matches = (await this.#storage.get<string>('tag')) === tag;
    if (request.method === 'GET') {
      const sealed = matches ? await this.#storage.get<ArrayBuffer>('sealed') : undefined;
      return new Response(sealed ?? null, { status: sealed ? 200 : 204 });
    }
    if (matches) await this.#storage.deleteAll();
    return new Response(null, { status: 204 });
  }
}
