import { faultCounts } from './log.ts';

/** Every path that is none of the role's: what callers make up must not become a label. */
const OTHER = 'other';

/**
 * Counts answers by path and status, for as long as the isolate lives. Nothing else is told of a request: whose it was, and what
 * about, is nobody's business who looks after machines.
 */
export class Metrics {
  readonly #paths: ReadonlySet<string>;
  readonly #answers = new Map<string, Map<number, number>>();

  /** @param paths that may become labels */
  constructor(paths: Iterable<string>) {
    this.#paths = new Set(paths);
  }

  count(path: string, status: number): void {
    const label = this.#paths.has(path) ? path : OTHER;
    const known = this.#answers.get(label);
    const ofPath = known ?? new Map<number, number>();
    if (!known) this.#answers.set(label, ofPath);
    ofPath.set(status, (ofPath.get(status) ?? 0) + 1);
  }

  /** Prometheus text exposition format, version 0.0.4. */
  text(role: string): string {
    const answers = [...this.#answers].flatMap(([path, statuses]) =>
      [...statuses].map(([status, count]) => `yao_requests_total{role="${role}",path="${path}",status="${status}"} ${count}`),
    );
    const faults = Object.entries(faultCounts()).map(
      ([event, count]) => `yao_faults_total{role="${role}",event="${event}"} ${count}`,
    );
    return [
      '# HELP yao_requests_total Answers by path and status, since this isolate started.',
      '# TYPE yao_requests_total counter',
      ...answers.sort(),
      '# HELP yao_faults_total Lines of the log by event, since this isolate started.',
      '# TYPE yao_faults_total counter',
      ...faults,
      '',
    ].join('\n');
  }
}
