import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

/** What kind of machine this is, without naming it. */
export function machineClass(): string {
  const model = cpus()[0]?.model.replaceAll(/\s+/g, ' ').trim() ?? 'unknown CPU';
  return `${availableParallelism()} cores, ${model}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
}

/** A remark for whoever reads the figures when more was at work before than the machine has cores for. */
export function busyness(): string {
  const [load = 0] = loadavg();
  return load > availableParallelism()
    ? `, busy with other work (load ${load.toFixed(1)}): times are longer than on a quiet one`
    : '';
}
