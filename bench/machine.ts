import { availableParallelism, cpus, totalmem } from 'node:os';

/** What kind of machine this is, without naming it. */
export function machineClass(): string {
  const model = cpus()[0]?.model.replaceAll(/\s+/g, ' ').trim() ?? 'unknown CPU';
  return `${availableParallelism()} cores, ${model}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
}
