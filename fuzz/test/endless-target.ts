import type { Target } from '../target.ts';

/** Never ends on inputs that begin with a zero. */
export const target: Target = {
  name: 'endless',
  about: 'a planted hang',
  maxBytes: 16,
  allocatedBytes: 1024 * 1024,
  batch: 16,
  seeds: () => [Uint8Array.of(1, 2, 3)],
  run: (input) => {
    while (input[0] === 0);
  },
};
