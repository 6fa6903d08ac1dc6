import type { Text } from './text.ts';

/** Bytes in the unit a reader grasps: `512 B`, `4.1 kB`, `1.75 MB` (powers of ten). */
export function kilobytes(bytes: number, { locale }: Pick<Text, 'locale'>): string {
  const format = (value: number, digits: number): string => value.toLocaleString(locale, { maximumFractionDigits: digits });
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${format(bytes / 1000, 1)} kB` : `${format(bytes / 1_000_000, 2)} MB`;
}

export const wholeBytes = (bytes: number, { locale }: Pick<Text, 'locale'>): string => `${bytes.toLocaleString(locale)} B`;

export function milliseconds(ms: number, { locale }: Pick<Text, 'locale'>): string {
  return `${ms.toLocaleString(locale, { maximumFractionDigits: ms < 10 ? 1 : 0 })} ms`;
}

export function moment(atMs: number, { locale }: Pick<Text, 'locale'>): string {
  return new Date(atMs).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'medium' });
}
