import type { DevicePublicKeys } from '@streaming-yao/client';
import { h, replace } from '../dom.ts';
import { checkWord, encodeOffer, linkOf, parseLinkCode } from '../link-code.ts';
import { qrCode } from '../qr.ts';
import { attempt, button, copyButton, field, outcomePlace, screenHeading, type View } from './view.ts';

/** On the new device: shows what it asks for, and takes the answer. */
export function offerScreen(view: View): HTMLElement {
  const { app, text } = view;
  const shown = h('div', {}, h('p', {}, text.common.loading));
  const outcome = outcomePlace();
  const answer = h('textarea', { id: 'answer', rows: 3, spellcheck: 'false', autocomplete: 'off' });
  const accept = (): void => {
    const code = parseLinkCode(answer.value);
    if (code?.kind !== 'approval') {
      replace(outcome, h('p', { class: 'failure', role: 'alert' }, code ? text.link.wrongCode : text.link.unreadable));
      return;
    }
    const { facts } = code;
    void attempt(view, outcome, { action: 'accept', work: () => app.wallet.accept(facts), done: () => app.showWallet() });
  };
  if (app.linkCode?.kind === 'approval') {
    answer.value = app.linkCode.code;
    app.linkCode = undefined;
    replace(shown);
    queueMicrotask(accept);
  } else {
    void app.wallet.offer().then((offer) => replace(shown, offered(view, offer)));
  }
  return h(
    'section',
    { class: 'screen offer' },
    screenHeading(text.link.offerHeading),
    shown,
    h('p', {}, text.link.answerLead),
    field(text.link.answer, answer),
    h(
      'div',
      { class: 'actions' },
      button(text.link.accept, 'primary', accept),
      button(text.common.back, 'quiet', () => app.showWallet()),
    ),
    outcome,
  );
}

function offered(view: View, offer: DevicePublicKeys): HTMLElement {
  const { text } = view;
  const link = linkOf(encodeOffer(offer));
  return h(
    'div',
    { class: 'shown-code' },
    h('p', {}, text.link.offerLead),
    qrCode(link, text.link.offerQr),
    h(
      'p',
      { class: 'check-word' },
      h('span', { class: 'label' }, text.link.check),
      h('strong', { translate: 'no' }, checkWord(offer)),
    ),
    copyButton(view, () => link, text.link.copyLink),
  );
}
