import { blocksOf, proseOf } from './markdown.ts';

/** A heading's level, and the figures of the text below it, sorted. */
interface Section {
  readonly level: number;
  readonly heading: string;
  readonly figures: readonly string[];
}

const HEADING = /^(#{1,6}) (.*)$/;
/** A number as it is read, its separators included; none of a word such as `Ed25519`, of a link's target, or of code. */
const FIGURE = /(?<![A-Za-z\d])\d+(?:[.,:]\d+)*(?![A-Za-z\d])/g;

function sectionsOf(markdown: string): readonly Section[] {
  const sections: { level: number; heading: string; lines: string[] }[] = [{ level: 0, heading: 'the beginning', lines: [] }];
  for (const line of proseOf(markdown).split('\n')) {
    const [, marks, heading = ''] = HEADING.exec(line) ?? [];
    if (marks) sections.push({ level: marks.length, heading, lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections.map(({ level, heading, lines }) => ({ level, heading, figures: figuresOf(lines.join('\n')) }));
}

const figuresOf = (text: string): readonly string[] =>
  [
    ...text
      .replace(/\]\([^)]*\)/g, ']')
      .replace(/`[^`]*`/g, '')
      .matchAll(FIGURE),
  ]
    .map(([figure]) => figure)
    .sort();

/** A program or its output without its comments, which are translated. */
const withoutComments = (code: string): string =>
  code
    .split('\n')
    .map((line) => line.replace(/(?:^|\s+)(?:#|\/\/) .*$/, '').trimEnd())
    .join('\n');

/** What `some` has that `others` has not, each as often as it has it more. */
function beyond(some: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others];
  return some.filter((one) => {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/**
 * Where a translation is not in step with its original: number, order and level of headings; code blocks, comments aside; the figures
 * of each section, in whatever order the language wants them.
 */
export function findStale(original: string, translation: string): readonly string[] {
  const [theirs, ours] = [sectionsOf(original), sectionsOf(translation)];
  const at = theirs.findIndex(({ level }, i) => level !== ours[i]?.level);
  if (at >= 0) return [`the heading "${theirs[at]?.heading}" has "${ours[at]?.heading ?? 'nothing'}" in its place`];
  if (ours.length > theirs.length) return [`there is one heading more: "${ours[theirs.length]?.heading}"`];
  const figures = theirs.flatMap(({ heading, figures: wanted }, i) => {
    const found = ours[i]?.figures ?? [];
    return [
      ...beyond(wanted, found).map((figure) => `below "${heading}" the figure ${figure} is missing`),
      ...beyond(found, wanted).map((figure) => `below "${heading}" the figure ${figure} is not in the original`),
    ];
  });
  const [wanted, found] = [blocksOf(original), blocksOf(translation)];
  const blocks = wanted.flatMap(({ language, text }, i) => {
    const same = found[i]?.language === language && withoutComments(found[i].text) === withoutComments(text);
    return same ? [] : [`the code block that begins with "${text.split('\n')[0]}" differs`];
  });
  const more = found.slice(wanted.length).map(({ text }) => `the code block "${text.split('\n')[0]}" is not in the original`);
  return [...figures, ...blocks, ...more];
}
