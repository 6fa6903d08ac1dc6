import type { Figure } from './figure.ts';
import { TARGETS } from './targets.ts';

function verdict({ id, value }: Figure): string {
  const known = TARGETS[id];
  if (!known) return '';
  const reaches = (goal: number): boolean => (known.atLeast ? value >= goal : value <= goal);
  if (known.stretch !== undefined && reaches(known.stretch)) return 'beyond target';
  return reaches(known.target) ? 'reached' : 'not reached';
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** Figures beside their targets, as Markdown. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const { id, value, unit, n, p95, p99 } = figure;
    const known = TARGETS[id];
    const spread = [p95 !== undefined && `p95 ${p95}`, p99 !== undefined && `p99 ${p99}`, n > 1 && `n ${n}`]
      .filter(Boolean)
      .join(', ');
    return row([`\`${id}\``, known?.what ?? '', `${value} ${unit}`, spread, `${known?.target ?? ''}`, verdict(figure)]);
  });
  const heading = row(['id', 'what', 'measured', 'spread', 'target', '']);
  return [heading, row(['---', '---', '---', '---', '---', '---']), ...rows].join('\n');
}
