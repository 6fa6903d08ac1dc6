type Attributes = Readonly<Record<string, string | number>>;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** One element of a drawing, as text. */
export function element(name: string, attributes: Attributes, ...children: readonly string[]): string {
  const listed = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${escaped(String(value))}"`)
    .join('');
  return children.length === 0 ? `<${name}${listed}/>` : `<${name}${listed}>${children.join('')}</${name}>`;
}

export const text = (x: number, y: number, content: string, attributes: Attributes = {}): string =>
  element('text', { x, y, ...attributes }, escaped(content));

export const line = (x1: number, y1: number, x2: number, y2: number, attributes: Attributes = {}): string =>
  element('line', { x1, y1, x2, y2, ...attributes });

const STYLE = `
  svg { background: #fff; font: 12px system-ui, sans-serif; fill: #1c2330; }
  .grid { stroke: #d7dce4; } .soft { fill: #5b6472; } .goal { stroke: #b3261e; stroke-width: 2; }
  .a { fill: #2f6fde; } .b { fill: #12806a; } .other { fill: #8a63d2; } .range { stroke: #2f6fde; stroke-width: 3; }
  .curve { stroke: #2f6fde; stroke-width: 2; fill: none; }
  @media (prefers-color-scheme: dark) {
    svg { background: #14181f; fill: #e6e9ef; }
    .grid { stroke: #333b47; } .soft { fill: #9aa4b2; } .goal { stroke: #ff8a80; }
    .a { fill: #7aa7ff; } .b { fill: #4fc9ae; } .other { fill: #b79aef; } .range, .curve { stroke: #7aa7ff; }
  }
`;

/** A whole drawing with its title, which screen readers say. */
export function drawing(width: number, height: number, title: string, parts: readonly string[]): string {
  const size = { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${width} ${height}`, width, height, role: 'img' };
  const heading = text(16, 24, title, { 'font-weight': 600, 'font-size': 15 });
  return `${element('svg', size, element('title', {}, escaped(title)), element('style', {}, STYLE), heading, ...parts)}\n`;
}

/** Places of round values on an axis from 0 to `most`. */
export function ticks(most: number): readonly number[] {
  const raw = most / 5;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= raw) ?? raw;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => Math.round(i * step * 1e6) / 1e6);
}
