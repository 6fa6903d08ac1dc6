import { TARGETS } from '../targets.ts';
import { figureOf, type Report } from './report.ts';

/** Times that README.md shows, by what they are called there. */
const SHOWN = [
  ['register_ms_p50', '`register`'],
  ['recover_ms_p50', '`recover`'],
  ['refresh_ms_p50', '`refresh`'],
  ['export_ms_p50', '`export`'],
  ['sign_hit_ms_p50', '`sign`, commitments at hand'],
  ['sign_miss_ms_p50', '`sign`, none at hand'],
  ['transport_ws_binding_ms', 'two bare Workers, one garbling, one evaluating'],
] as const;

/** Lines of a Markdown table: what, measured, what the public reference reports. */
export function frontPageRows(report: Report): readonly string[] {
  return SHOWN.map(([id, label]) => {
    const { value } = figureOf(report, id);
    const reference = TARGETS[id]?.reference;
    return `| ${label} | ${value.toFixed(1)} ms | ${reference === undefined ? '' : `${reference} ms`} |`;
  });
}
