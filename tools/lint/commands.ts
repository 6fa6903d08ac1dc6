import { blocksOf } from './markdown.ts';

/** A command of a document as one would type it. */
export interface Command {
  readonly line: string;
  /** Script of package.json that it runs. */
  readonly script: string;
  readonly flags: readonly string[];
}

/** The npm commands in a Markdown text's blocks of shell commands: those of that language, and of none. */
export function commandsOf(markdown: string): readonly Command[] {
  return blocksOf(markdown)
    .filter(({ language }) => ['', 'sh', 'bash', 'shell', 'console'].includes(language))
    .flatMap(({ text }) => text.split('\n'))
    .map((line) =>
      line
        .replace(/^\$ /, '')
        .replace(/\s+#.*$/, '')
        .trim(),
    )
    .flatMap((line) => {
      const found = /^npm (?:run )?([a-z][\w:-]*)(?: -- (.*))?$/.exec(line);
      if (!found?.[1] || found[1] === 'install' || found[1] === 'ci') return [];
      return [{ line, script: found[1], flags: (found[2] ?? '').split(/\s+/).filter((word) => word.startsWith('--')) }];
    });
}

/**
 * What keeps commands from working as written.
 * @param scripts of package.json
 * @param programOf the text of a program, or undefined when it does not exist
 */
export function findBrokenCommands(
  commands: readonly Command[],
  scripts: Readonly<Record<string, string>>,
  programOf: (file: string) => string | undefined,
): readonly string[] {
  return commands.flatMap(({ line, script, flags }) => {
    const file = scripts[script]?.split(' ').at(-1);
    if (file === undefined) return [`${line}: package.json has no script "${script}"`];
    const program = programOf(file);
    if (program === undefined) return [`${line}: ${file} does not exist`];
    return flags
      .map((flag) => flag.replace(/=.*$/, '').slice(2))
      .filter((flag) => !new RegExp(`['"\`]?\\b${flag}\\b`).test(program))
      .map((flag) => `${line}: ${file} knows no --${flag}`);
  });
}
