/** A fenced block of a Markdown text. */
export interface Block {
  /** What stands behind the opening fence; empty where nothing does. */
  readonly language: string;
  /** Ends with a line break. */
  readonly text: string;
}

/** The fenced blocks of a Markdown text, in their order. */
export function blocksOf(markdown: string): readonly Block[] {
  return [...markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({ language, text }));
}

/** A Markdown text without its fenced blocks. */
export const proseOf = (markdown: string): string => markdown.replace(/^```\w*\n.*?^```$/gms, '');

/** As GitHub makes it of a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
