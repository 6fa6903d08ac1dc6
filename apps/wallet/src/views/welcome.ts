import { createRecoveryPhrase } from '@streaming-yao/client';
import { h } from '../dom.ts';
import { attempt, button, outcomePlace, screenHeading, type View } from './view.ts';

export function welcomeScreen(view: View): HTMLElement {
  const { app, text } = view;
  const outcome = outcomePlace();
  const create = (): void => {
    app.phrase = createRecoveryPhrase((length) => crypto.getRandomValues(new Uint8Array(length)));
    app.show('create');
  };
  const openWithPasskey = (): void =>
    void attempt(view, outcome, { action: 'recover', work: () => app.wallet.openWithPasskey(), done: () => app.showWallet() });
  const approves = app.linkCode?.kind === 'offer';
  return h(
    'section',
    { class: 'screen welcome' },
    screenHeading(text.welcome.heading),
    h('p', { class: 'lead' }, text.welcome.lead),
    approves && h('p', { class: 'note' }, text.welcome.approveFirst),
    h(
      'div',
      { class: 'choices' },
      button(text.welcome.create, 'primary', create),
      button(text.welcome.recover, 'quiet', () => app.show('recover')),
      button(text.welcome.passkey, 'quiet', openWithPasskey),
      button(text.welcome.link, 'quiet', () => app.show('offer')),
    ),
    outcome,
  );
}
