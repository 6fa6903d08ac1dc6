import { PARTS } from './parts.ts';

/** Measures the one part that it is given. The last line of stdout is its figures as JSON. */
const [name = ''] = process.argv.slice(2);
const measure = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
if (!measure) throw new Error(`there is no part "${name}"`);
const figures = await measure((line) => void process.stderr.write(`${line} …\n`));
process.stdout.write(`${JSON.stringify(figures)}\n`);
