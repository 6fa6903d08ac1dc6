/** A top-level statement of a declaration file, with the docstring before it. */
export interface Statement {
  readonly text: string;
  /** Without the comment's own marks; empty where there is none. */
  readonly doc: string;
}

/** What a module exports under a name: all statements that declare it, such as a value and its type. */
export interface Exported {
  readonly name: string;
  readonly statements: readonly Statement[];
  /** Module of somebody else that declares it, where it is not one of ours. */
  readonly foreign?: string;
}

/** Finds a module of ours. @returns its path and text, or `undefined` for somebody else's */
export type Resolve = (module: string, from: string) => { readonly file: string; readonly text: string } | undefined;

/** One character of text that is no comment and no string, or all of one that is. */
const TOKEN = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`|[\s\S]/g;
const ENDS_WITH_BRACE = /^(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:interface|class|namespace|enum) /;

/** Splits the text of a declaration file, as the compiler writes it. */
export function statementsOf(text: string): readonly Statement[] {
  const statements: Statement[] = [];
  let [statement, doc, depth] = ['', '', 0];
  for (const [token] of text.matchAll(TOKEN)) {
    if (statement === '' && token.startsWith('/')) doc = token.startsWith('/**') ? plainDoc(token) : doc;
    else if (statement !== '' || /\S/.test(token)) statement += token;
    if ('({['.includes(token)) depth++;
    if (')}]'.includes(token)) depth--;
    const ended = depth === 0 && statement !== '' && (token === ';' || (token === '}' && ENDS_WITH_BRACE.test(statement)));
    if (!ended) continue;
    statements.push({ text: statement, doc });
    [statement, doc] = ['', ''];
  }
  return statements;
}

function plainDoc(comment: string): string {
  return comment
    .slice(3, -2)
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
    .join('\n')
    .trim();
}

const DECLARED = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|class|type|function|const|let|namespace) ([\w$]+)/;
const LISTED = /^(export|import)(?: type)? \{([^}]*)\}(?: from ['"]([^'"]+)['"])?;$/;
const EVERYTHING = /^export(?: type)? \* from ['"]([^'"]+)['"];$/;

interface Listed {
  readonly name: string;
  readonly as: string;
}

function listed(names: string): readonly Listed[] {
  return names
    .split(',')
    .map((name) => name.trim().replace(/^type /, ''))
    .filter((name) => name !== '')
    .map((name) => {
      const [original = '', as = original] = name.split(' as ');
      return { name: original, as };
    });
}

/** Everything that a module exports, from wherever it comes, in the order in which it says so. */
export function exportsOf(file: string, text: string, resolve: Resolve): readonly Exported[] {
  const found = new Map<string, Exported>();
  const add = ({ name, statements, foreign }: Exported): void => {
    const before = found.get(name)?.statements ?? [];
    found.set(name, { name, statements: [...before, ...statements], ...(foreign !== undefined && { foreign }) });
  };
  for (const statement of statementsOf(text)) {
    const everything = EVERYTHING.exec(statement.text)?.[1];
    const [, keyword, names = '', module] = LISTED.exec(statement.text) ?? [];
    if (everything !== undefined) for (const one of exportsFrom(everything, file, resolve)) add(one);
    else if (keyword === 'export') for (const one of listed(names)) add(lookUp(one, module, { file, text, resolve }));
    else if (statement.text.startsWith('export '))
      add({ name: DECLARED.exec(statement.text)?.[1] ?? '', statements: [statement] });
  }
  return [...found.values()].filter(({ name }) => name !== '');
}

function exportsFrom(module: string, from: string, resolve: Resolve): readonly Exported[] {
  const found = resolve(module, from);
  return found ? exportsOf(found.file, found.text, resolve) : [];
}

interface Place {
  readonly file: string;
  readonly text: string;
  readonly resolve: Resolve;
}

function lookUp({ name, as }: Listed, module: string | undefined, { file, text, resolve }: Place): Exported {
  if (module === undefined) {
    const statements = statementsOf(text).filter((statement) => DECLARED.exec(statement.text)?.[1] === name);
    return { name: as, statements };
  }
  const statements = exportsFrom(module, file, resolve).find((exported) => exported.name === name)?.statements;
  return statements ? { name: as, statements } : { name: as, statements: [], foreign: module };
}
