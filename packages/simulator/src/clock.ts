interface Timer {
  readonly atMs: number;
  readonly order: number;
  readonly ring: () => void;
}

/** Virtual time. It stands still while anything can happen, then jumps to the next timer. */
export class Clock {
  #nowMs: number;
  #order = 0;
  readonly #timers = new Set<Timer>();

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Rings once at `atMs`, or at the next jump when that has passed. @returns what stops it */
  at(atMs: number, ring: () => void): () => void {
    const timer = { atMs, order: this.#order++, ring };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** When the next timer rings. */
  get nextMs(): number | undefined {
    return this.#next()?.atMs;
  }

  /** Jumps to the next timer and rings it. @returns whether there was one */
  jump(): boolean {
    const next = this.#next();
    if (!next) return false;
    this.#timers.delete(next);
    this.#nowMs = Math.max(this.#nowMs, next.atMs);
    next.ring();
    return true;
  }

  /** Lets time pass, every timer on the way ringing in its turn. */
  passUntil(atMs: number): void {
    while ((this.nextMs ?? Number.POSITIVE_INFINITY) <= atMs) this.jump();
    this.#nowMs = Math.max(this.#nowMs, atMs);
  }

  #next(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (!next || timer.atMs < next.atMs || (timer.atMs === next.atMs && timer.order < next.order)) next = timer;
    }
    return next;
  }
}
