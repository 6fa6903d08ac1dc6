import { type Child, h } from '../dom.ts';
import type { Text } from '../text/text.ts';
import { button, field } from './view.ts';

/** Opens a modal dialog. @returns the value it was closed with; the empty string when it was dismissed */
function ask(
  heading: string,
  content: readonly Child[],
  actions: (close: (value: string) => void) => readonly HTMLElement[],
): Promise<string> {
  const close = (value: string): void => dialog.close(value);
  const dialog: HTMLDialogElement = h(
    'dialog',
    { 'aria-labelledby': 'dialog-heading' },
    h('h2', { id: 'dialog-heading' }, heading),
    ...content,
    h('div', { class: 'actions' }, ...actions(close)),
  );
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue);
    });
  });
}

/** Asks before something that cannot be undone. */
export async function confirmed(text: Text, heading: string, question: string, consent: string): Promise<boolean> {
  const answer = await ask(heading, [h('p', {}, question)], (close) => [
    button(text.common.cancel, 'quiet', () => close(''), { autofocus: true }),
    button(consent, 'danger', () => close('yes')),
  ]);
  return answer === 'yes';
}

export function phraseInput(id: string): HTMLTextAreaElement {
  return h('textarea', { id, rows: 4, autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', required: true });
}

/** Asks for the recovery phrase. @returns `undefined` when the person declines */
export async function askPhrase(text: Text): Promise<string | undefined> {
  const input = phraseInput('asked-phrase');
  const answer = await ask(text.phrase.heading, [h('p', {}, text.phrase.lead), field(text.recover.phrase, input)], (close) => [
    button(text.common.cancel, 'quiet', () => close('')),
    button(text.phrase.submit, 'primary', () => close('typed')),
  ]);
  const phrase = input.value;
  input.value = '';
  return answer === 'typed' ? phrase : undefined;
}
