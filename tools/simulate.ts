import { parseArgs } from 'node:util';
import { simulate } from '@streaming-yao/simulator';

const { values } = parseArgs({
  options: { seeds: { type: 'string' }, first: { type: 'string' }, seed: { type: 'string' }, trace: { type: 'boolean' } },
});
const first = Number(values.seed ?? values.first ?? 1);
const count = values.seed ? 1 : Number(values.seeds ?? 100);
const t0 = performance.now();
let bad = 0;
for (let seed = first; seed < first + count; seed++) {
  const result = await simulate({ seed, ...(values.trace && { trace: (line: string) => console.log(line) }) });
  if (result.violation) {
    bad++;
    console.log(seed, result.violation.message, result.faults.join(), result.steps);
  }
}
console.log(count, 'seeds', bad, 'bad', (performance.now() - t0) / count, 'ms each');
