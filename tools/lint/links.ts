import path from 'node:path';
import { anchorOf, proseOf } from './markdown.ts';

/** A document: its path from the repository's root, and its text. */
export interface Document {
  readonly path: string;
  readonly text: string;
}

const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set([...proseOf(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => anchorOf(heading)));

const LINK = /\]\(([^)\s]+)\)/g;
/** A file as code names it. */
const NAMED = /`([\w@-][\w./@-]*\/[\w./@-]*\.(?:ts|mjs|md))`/g;

interface Place {
  readonly documents: readonly Document[];
  readonly exists: (file: string) => boolean;
}

/** Links of one document that lead nowhere, and files that it names and that are not there. */
export function findDeadLinks({ path: file, text }: Document, { documents, exists }: Place): readonly string[] {
  const prose = proseOf(text);
  const folder = path.dirname(file);
  const links = [...prose.matchAll(LINK)].flatMap(([, target = '']) => {
    if (/^https?:/.test(target)) return [];
    const [name = '', anchor] = target.split('#');
    const place = name === '' ? file : path.join(folder, name);
    if (!exists(place)) return [`${file}: ${target} leads nowhere`];
    const found = documents.find((document) => document.path === place);
    return anchor === undefined || (found && anchorsOf(found.text).has(anchor)) ? [] : [`${file}: ${target} has no such heading`];
  });
  const named = [...prose.matchAll(NAMED)]
    .map(([, name = '']) => name)
    .filter((name) => !['', 'packages', folder, path.join(folder, 'src')].some((base) => exists(path.join(base, name))))
    .map((name) => `${file}: there is no ${name}`);
  return [...links, ...named];
}
