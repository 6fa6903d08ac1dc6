import { h } from '../dom.ts';
import { phraseInput } from './dialog.ts';
import { attempt, button, field, outcomePlace, screenHeading, type View } from './view.ts';

export function recoverScreen(view: View): HTMLElement {
  const { app, text } = view;
  const outcome = outcomePlace();
  const phrase = phraseInput('phrase');
  const choice = (id: string, label: string, checked: boolean) =>
    h(
      'p',
      { class: 'check' },
      h('input', { type: 'radio', name: 'others', id, value: id, checked }),
      h('label', { for: id }, label),
    );
  const form = h(
    'form',
    {
      on: {
        submit: (event) => {
          event.preventDefault();
          const keepOthers = new FormData(form).get('others') === 'keep-others';
          void attempt(view, outcome, {
            action: 'recover',
            work: () => app.wallet.recover(phrase.value, keepOthers),
            done: () => {
              phrase.value = '';
              app.showWallet();
            },
          });
        },
      },
    },
    field(text.recover.phrase, phrase),
    h(
      'fieldset',
      {},
      h('legend', {}, text.recover.others),
      choice('end-others', text.recover.endOthers, true),
      choice('keep-others', text.recover.keepOthers, false),
    ),
    h(
      'div',
      { class: 'actions' },
      h('button', { type: 'submit', class: 'primary' }, text.recover.submit),
      button(text.common.back, 'quiet', () => app.showWallet()),
    ),
  );
  return h(
    'section',
    { class: 'screen' },
    screenHeading(text.recover.heading),
    h('p', { class: 'lead' }, text.recover.lead),
    form,
    outcome,
  );
}
