import { h, replace } from '../dom.ts';
import { attempt, button, outcomePlace, part, success, type View } from './view.ts';

export function refreshPart(view: View): HTMLElement {
  const { app, text } = view;
  const outcome = outcomePlace();
  const refresh = (): void =>
    void attempt(view, outcome, {
      action: 'refresh',
      work: async () => {
        await app.wallet.refresh();
        return app.wallet.status();
      },
      taken: () => app.wallet.status(),
      done: ({ epoch }) => replace(outcome, success(text.refresh.done(epoch))),
    });
  return part(
    text.refresh.heading,
    'refresh',
    h('p', {}, text.refresh.lead),
    h('div', { class: 'actions' }, button(text.refresh.submit, 'primary', refresh)),
    outcome,
  );
}
