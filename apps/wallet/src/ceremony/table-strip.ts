import { h } from '../dom.ts';
import { kilobytes } from '../text/number.ts';
import type { Text } from '../text/text.ts';
import type { MeasuredCeremony } from './message.ts';

/** One cell for each frame of garbled tables: empty, sent by A, taken up by B. */
export function tableStrip(
  { messages }: MeasuredCeremony,
  text: Text,
): { readonly element: HTMLElement; show(atMs: number): void } {
  const tables = messages.filter(({ name }) => name === 'tables');
  if (tables.length === 0) return { element: h('div', { hidden: true }), show: () => undefined };
  const bytes = tables.reduce((sum, table) => sum + table.bytes, 0);
  const cells = tables.map(() => h('span', { class: 'cell' }));
  const state = h('p', { class: 'hint' });
  const element = h(
    'div',
    { class: 'strip' },
    h('p', {}, text.ceremony.tables(tables.length, kilobytes(bytes, text))),
    h('div', { class: 'cells', 'aria-hidden': 'true' }, ...cells),
    h(
      'p',
      { class: 'legend' },
      h('span', { class: 'cell garbled', 'aria-hidden': 'true' }),
      text.ceremony.garbled,
      h('span', { class: 'cell evaluated', 'aria-hidden': 'true' }),
      text.ceremony.evaluated,
    ),
    state,
  );
  const show = (atMs: number): void => {
    let [garbled, evaluated] = [0, 0];
    tables.forEach(({ sentAt, receivedAt }, i) => {
      const [isGarbled, isEvaluated] = [sentAt <= atMs, receivedAt <= atMs];
      cells[i]?.classList.toggle('garbled', isGarbled);
      cells[i]?.classList.toggle('evaluated', isEvaluated);
      garbled += Number(isGarbled);
      evaluated += Number(isEvaluated);
    });
    state.textContent = text.ceremony.tablesState(garbled, evaluated, tables.length);
  };
  return { element, show };
}
