import { createGroup, type Group } from '@streaming-yao/group';

export { indexedDbStorage } from './indexed-db-storage.ts';
export { type PasskeyPlace, passkeyCredential } from './passkey.ts';
export * from './passkey-enrolment.ts';

/**
 * Compiles group.wasm while it arrives.
 * ```ts
 * const group = await loadGroup(fetch('/group.wasm'));
 * ```
 * @param source its address, or the answer to a request for it
 */
export async function loadGroup(source: string | URL | Response | PromiseLike<Response>): Promise<Group> {
  const answer = typeof source === 'string' || source instanceof URL ? fetch(source) : source;
  return createGroup(await WebAssembly.compileStreaming(answer));
}
