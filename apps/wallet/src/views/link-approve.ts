import type { DevicePublicKeys } from '@streaming-yao/client';
import { h, replace } from '../dom.ts';
import { checkWord, encodeApproval, linkOf, parseLinkCode } from '../link-code.ts';
import { qrCode } from '../qr.ts';
import { attempt, button, copyButton, field, outcomePlace, part, type View } from './view.ts';

/** On a device that has the wallet: lets another one have a share of its own. */
export function approvePart(view: View): HTMLElement {
  const { app, text } = view;
  const outcome = outcomePlace();
  const code = h('textarea', { id: 'code', rows: 3, spellcheck: 'false', autocomplete: 'off' });
  const approve = (offer: DevicePublicKeys): void =>
    void attempt(view, outcome, {
      action: 'approve',
      work: () => app.wallet.approve(offer),
      done: (facts) => {
        const link = linkOf(encodeApproval(facts));
        code.value = '';
        replace(
          outcome,
          h('p', { class: 'success' }, text.link.approved),
          h(
            'div',
            { class: 'shown-code' },
            qrCode(link, text.link.approvalQr),
            copyButton(view, () => link, text.link.copyLink),
          ),
        );
      },
    });
  const read = (): void => {
    const parsed = parseLinkCode(code.value);
    if (parsed?.kind === 'offer') {
      const { offer } = parsed;
      const question = h('p', { class: 'note' }, text.link.approveQuestion(checkWord(offer)));
      replace(
        outcome,
        question,
        h(
          'div',
          { class: 'actions' },
          button(text.link.approve, 'primary', () => approve(offer)),
        ),
      );
      return;
    }
    replace(outcome, h('p', { class: 'failure', role: 'alert' }, parsed ? text.link.wrongCode : text.link.unreadable));
  };
  const element = part(
    text.link.heading,
    'link',
    h('p', {}, text.link.approveLead),
    field(text.link.code, code),
    h('div', { class: 'actions' }, button(text.link.read, 'quiet', read)),
    outcome,
  );
  if (app.linkCode?.kind === 'offer') {
    code.value = app.linkCode.code;
    app.linkCode = undefined;
    element.open = true;
    read();
  }
  return element;
}
