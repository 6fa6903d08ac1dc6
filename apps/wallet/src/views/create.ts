import { YaoError } from '@streaming-yao/client';
import { h, replace } from '../dom.ts';
import { attempt, button, copyButton, outcomePlace, screenHeading, type View } from './view.ts';

/** Shows the phrase, and makes the wallet once it is written down. */
export function createScreen(view: View): HTMLElement {
  const { app, text } = view;
  const phrase = app.phrase ?? '';
  const outcome = outcomePlace();
  const submit = button(text.create.submit, 'primary', () => make(true), { disabled: true });
  const written = h('input', {
    type: 'checkbox',
    id: 'written',
    on: {
      change: () => {
        submit.disabled = !written.checked;
      },
    },
  });
  const make = (withPasskey: boolean): void => {
    const work = async (): Promise<void> => {
      try {
        await app.wallet.create(phrase, withPasskey);
      } catch (error) {
        if (error instanceof YaoError && error.code === 'prf_unavailable') offerPhraseAlone();
        throw error;
      }
    };
    const finished = (): void => app.showWallet();
    void attempt(view, outcome, { action: 'create', work, done: finished, taken: async () => undefined });
  };
  const alternative = h('div');
  const offerPhraseAlone = (): void =>
    replace(
      alternative,
      h('p', { class: 'note' }, text.create.noPrf),
      button(text.create.phraseOnly, 'primary', () => make(false)),
    );
  return h(
    'section',
    { class: 'screen create' },
    screenHeading(text.create.heading),
    h('p', { class: 'lead' }, text.create.lead),
    h(
      'ol',
      { class: 'words', 'aria-label': text.create.words, translate: 'no', lang: 'en' },
      ...phrase.split(' ').map((word) => h('li', {}, word)),
    ),
    h(
      'div',
      { class: 'actions' },
      copyButton(view, () => phrase, text.create.copyWords),
    ),
    h('p', { class: 'check' }, written, h('label', { for: 'written' }, text.create.written)),
    h(
      'div',
      { class: 'actions' },
      submit,
      button(text.common.back, 'quiet', () => app.showWallet()),
    ),
    h('p', { class: 'hint' }, text.create.prompts),
    outcome,
    alternative,
  );
}

/** A wallet whose making was interrupted before it had a key. */
export function unfinishedScreen(view: View): HTMLElement {
  const { app, text } = view;
  const outcome = outcomePlace();
  const finish = (): void =>
    void attempt(view, outcome, { action: 'create', work: () => app.wallet.finish(), done: () => app.showWallet() });
  const discard = (): void => void app.wallet.forget().then(() => app.showWallet());
  return h(
    'section',
    { class: 'screen' },
    screenHeading(text.unfinished.heading),
    h('p', { class: 'lead' }, text.unfinished.lead),
    h(
      'div',
      { class: 'actions' },
      button(text.unfinished.finish, 'primary', finish),
      button(text.unfinished.discard, 'quiet', discard),
    ),
    outcome,
  );
}
