import type { Step } from './control.ts';
import type { Operation } from './operations.ts';

/** How far apart the steps lie that a test walks; refresh has all kinds of steps, the others repeat most of them. */
const STRIDE: Readonly<Record<string, number>> = { refresh: 2, register: 6, recover: 8, link: 8, export: 6, sign: 4 };

/** Of a frame that comes often, its first and last are walked. */
function telling(steps: readonly Step[]): readonly Step[] {
  return steps.filter(({ role, kind, occurrence }) => {
    const last = steps.filter((other) => other.role === role && other.kind === kind).length - 1;
    return occurrence === 0 || occurrence === last;
  });
}

/** The share of all crashes that the tests walk: about two minutes. */
export function share({ name }: Operation, steps: readonly Step[], way: 'kill' | 'freeze'): readonly Step[] {
  const stride = way === 'freeze' ? 30 : (STRIDE[name] ?? 1);
  if (way === 'freeze' && name !== 'refresh') return [];
  return telling(steps).filter((_, i) => i % stride === Math.floor(stride / 2));
}
