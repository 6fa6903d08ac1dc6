// AND gates that are collected because they do not depend on each other, and garbled or evaluated together.

import { destinations, queue } from './memory';

/** Bytes of a queued gate: left, right, mask. */
export const GATE: usize = 64;

/** AND gates collected so far. */
export let queued: u32 = 0;

export function emptyQueue(): void {
  queued = 0;
}

// @ts-ignore: decorator
@inline
export function queuedGate(index: u32): usize {
  return queue + <usize>index * GATE;
}

// @ts-ignore: decorator
@inline
export function destinationOf(index: u32): usize {
  return <usize>load<u32>(destinations + (<usize>index << 2));
}

/** Asks for `mask` XOR (`left` AND `right`) to be stored at `destination`. */
// @ts-ignore: decorator
@inline
export function enqueue(left: v128, right: v128, mask: v128, destination: usize): void {
  const index = queued;
  const gate = queuedGate(index);
  v128.store(gate, left);
  v128.store(gate, right, 16);
  v128.store(gate, mask, 32);
  store<u32>(destinations + (<usize>index << 2), <u32>destination);
  queued = index + 1;
}
