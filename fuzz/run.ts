import { parseArgs } from 'node:util';
import { writeCorpus } from './corpus.ts';
import { refusal } from './finding.ts';
import { loadTarget, TARGET_NAMES } from './targets.ts';
import { fuzzWatched } from './watched.ts';

const HELP = `npm run fuzz [-- options]

Feeds decoders and both sessions between the Derivers with inputs that are led by which code they reach. Whatever the input:
no error but a YaoError, no hang, no allocation beyond a limit, no encoding accepted that would be written otherwise.
Exits 1 with the input when a property does not hold.

  --minutes N     how long, shared by all targets (1)
  --target NAME   one target; may be given several times
  --seed N        of the generator (1); with the same corpus and --runs, a run repeats
  --runs N        instead of --minutes: inputs per target
  --input BASE64  with one --target: runs this input only
  --keep          adds inputs that reached new code to the corpus in fuzz/corpus
  --list          names the targets
  --json          one JSON object per target
  --help          this text
`;

function positive(text: string, name: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new TypeError(`--${name} is a number above 0, not ${text}`);
}

async function one(name: string, base64: string): Promise<void> {
  try {
    await (await loadTarget(name)).run(Uint8Array.from(Buffer.from(base64, 'base64')));
  } catch (error) {
    refusal(error);
  }
  console.log(`${name}: every property holds`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '1' },
      target: { type: 'string', multiple: true },
      seed: { type: 'string', default: '1' },
      runs: { type: 'string' },
      input: { type: 'string' },
      keep: { type: 'boolean' },
      list: { type: 'boolean' },
      json: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  const names = values.target ?? TARGET_NAMES;
  const targets = await Promise.all(names.map(loadTarget));
  if (values.list) return void targets.forEach(({ name, about }) => void console.log(`${name.padEnd(14)} ${about}`));
  if (values.input !== undefined) return one(names[0] ?? '', values.input);
  const limit =
    values.runs === undefined
      ? { ms: (positive(values.minutes, 'minutes') * 60_000) / names.length }
      : { runs: positive(values.runs, 'runs') };
  for (const target of names) {
    const seed = positive(values.seed, 'seed');
    const progress = (runs: number): void => void (process.stderr.isTTY && process.stderr.write(`\r${target}: ${runs} inputs `));
    const { runs, blocks, corpus, finding } = await fuzzWatched({ target, seed, guided: true, ...limit, progress });
    const input = finding && Buffer.from(finding.input).toString('base64');
    if (values.json)
      console.log(JSON.stringify({ target, runs, blocks, corpus: corpus.length, property: finding?.finding.property, input }));
    else
      console.log(
        `${target}: ${runs} inputs reached ${blocks} blocks of code, ${corpus.length} are worth keeping beside the seeds`,
      );
    if (finding) {
      process.exitCode = 1;
      console.error(`${finding.finding.message}\nnpm run fuzz -- --target ${target} --input ${input}`);
    } else if (values.keep) {
      await writeCorpus(target, corpus);
    }
  }
}

await main().catch((error: unknown) => {
  if (!(error instanceof TypeError)) throw error;
  console.error(`${error.message}\n\n${HELP}`);
  process.exitCode = 2;
});
