import { anchorOf } from '../lint/markdown.ts';
import type { Exported, Statement } from './declarations.ts';

/** An entry point of a package: what its exports name, and what it exports. */
export interface Entry {
  /** As one imports it. */
  readonly module: string;
  readonly exported: readonly Exported[];
}

/** A package's reference as Markdown: each exported name of each entry point with its docstring and its declaration. */
export function referenceOf(packageName: string, description: string, entries: readonly Entry[]): string {
  const head = [
    `# API of ${packageName}`,
    description,
    'Written by `npm run api` from the docstrings in the sources; a test holds it to them.',
    entries.map(({ module, exported }) => `* [\`${module}\`](#${anchorOf(module)}): ${exported.length} names`).join('\n'),
  ];
  return `${[...head, ...entries.flatMap(sectionsOf)].join('\n\n')}\n`;
}

function sectionsOf({ module, exported }: Entry): readonly string[] {
  const names = [...exported].sort((a, b) => a.name.localeCompare(b.name, 'en'));
  return [`## \`${module}\``, ...names.flatMap(sectionOf)];
}

function sectionOf({ name, statements, foreign }: Exported): readonly string[] {
  const docs = new Set(statements.map(({ doc }) => doc).filter((doc) => doc !== ''));
  const declared = statements.length > 0 ? [`\`\`\`ts\n${statements.map(declaration).join('\n')}\n\`\`\``] : [];
  const elsewhere = foreign === undefined ? [] : [`Of \`${foreign}\`.`];
  return [`### \`${name}\``, ...[...docs].map(proseOf), ...elsewhere, ...declared];
}

const declaration = ({ text }: Statement): string =>
  text
    .replace(/^export (declare )?/, '')
    .replace(/^ *#private;\n/m, '')
    .replace(/^( {4})+/gm, (indent) => '  '.repeat(indent.length / 4));

const TAGS: Readonly<Record<string, string>> = { returns: 'Returns', throws: 'Throws' };

/** A docstring as Markdown: its tags as a list. */
function proseOf(doc: string): string {
  const [text = '', ...tags] = doc.replace(/\{@link ([^}]+)\}/g, '`$1`').split(/(?:^|\s)@(?=(?:param|returns|throws)\b)/);
  const items = tags.map((tag) => {
    const [, kind = '', rest = ''] = /^(\w+)\s+([\s\S]*)$/.exec(tag.trim()) ?? [];
    const line = rest.replace(/\s*\n\s*/g, ' ');
    if (kind !== 'param') return `* ${TAGS[kind]}: ${line}`;
    const [, name, what = ''] = /^(\S+)\s*([\s\S]*)$/.exec(line) ?? [];
    return `* \`${name}\`: ${what}`;
  });
  return [text.trim(), items.join('\n')].filter((part) => part !== '').join('\n\n');
}
