import { h, replace } from '../dom.ts';
import { moment } from '../text/number.ts';
import { attempt, button, outcomePlace, part, type View } from './view.ts';

/** What the Router has noted about this wallet. */
export function auditPart(view: View): HTMLElement {
  const { app, text } = view;
  const outcome = outcomePlace();
  const { when, event, ceremony, outcome: how } = text.audit;
  const show = (): void =>
    void attempt(view, outcome, {
      action: 'audit',
      work: () => app.wallet.audit(),
      done: (entries) => {
        const rows = entries.map((entry) =>
          h(
            'tr',
            {},
            h('td', {}, moment(entry.atMs, text)),
            h('td', {}, text.audit.events[entry.event] ?? entry.event),
            h('td', {}, h('code', {}, entry.ceremonyId?.slice(0, 12) ?? '–')),
            h('td', {}, text.audit.events[entry.outcome] ?? entry.outcome),
          ),
        );
        const head = h('tr', {}, ...[when, event, ceremony, how].map((name) => h('th', { scope: 'col' }, name)));
        const table = h('table', {}, h('thead', {}, head), h('tbody', {}, ...rows));
        const scrolling = h('div', { class: 'scrolling', tabindex: 0, role: 'region', 'aria-label': text.audit.heading }, table);
        replace(outcome, entries.length > 0 ? scrolling : h('p', {}, text.audit.none));
      },
    });
  return part(
    text.audit.heading,
    'audit',
    h('p', {}, text.audit.lead),
    h('div', { class: 'actions' }, button(text.audit.show, 'quiet', show)),
    outcome,
  );
}
