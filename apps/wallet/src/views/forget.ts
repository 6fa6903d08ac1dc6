import { h } from '../dom.ts';
import { confirmed } from './dialog.ts';
import { button, part, type View } from './view.ts';

export function forgetPart({ app, text }: View): HTMLElement {
  const forget = async (): Promise<void> => {
    if (app.running) return;
    if (!(await confirmed(text, text.forget.heading, text.forget.confirm, text.forget.submit))) return;
    await app.wallet.forget();
    app.announce();
    app.showWallet();
  };
  return part(
    text.forget.heading,
    'forget',
    h('p', {}, text.forget.lead),
    h(
      'div',
      { class: 'actions' },
      button(text.forget.submit, 'danger', () => void forget()),
    ),
  );
}
