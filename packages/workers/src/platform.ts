import type { D1Database, DurableObjectNamespace, DurableObjectState, DurableObjectStorage } from '@cloudflare/workers-types';

/**
 * What the host uses of the Workers platform beyond the web's own types, which stay the ones of the DOM library.
 */
export type { D1Database, DurableObjectNamespace, DurableObjectState, DurableObjectStorage };

/** A Workers WebSocket: it must be accepted, and says how binary messages arrive. */
export interface Socket extends WebSocket {
  accept(): void;
}

/** The answer to a WebSocket upgrade carries the socket. */
export interface UpgradeResponse extends Response {
  readonly webSocket: Socket | null;
}

/** A service binding to another role, in the same account or at an external address. */
export interface RoleBinding {
  fetch(url: string, init: RequestInit): Promise<Response>;
}

export interface ExecutionContext {
  waitUntil(promise: Promise<unknown>): void;
}

declare const WebSocketPair: new () => { readonly 0: Socket; readonly 1: Socket };

/** An answer that passes on another one's socket, with headers besides; one without a socket as it is. */
export function withUpgradeHeaders(response: Response, headers: Record<string, string>): Response {
  const { webSocket } = response as UpgradeResponse;
  if (!webSocket) return response;
  const answer: ResponseInit & { webSocket: Socket } = { status: 101, webSocket, headers };
  return new Response(null, answer);
}

/** Answers an upgrade request. @returns the answer, and the end of the socket that stays here */
export function upgrade(): { readonly response: Response; readonly socket: Socket } {
  const { 0: theirs, 1: ours } = new WebSocketPair();
  const answer: ResponseInit & { webSocket: Socket } = { status: 101, webSocket: theirs };
  return { response: new Response(null, answer), socket: ours };
}
