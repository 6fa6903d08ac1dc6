import { equalBytes, toHex } from '@streaming-yao/core';
import { type Credential, idOfCredential } from '@streaming-yao/wire';
import { h, replace } from '../dom.ts';
import type { Text } from '../text/text.ts';
import { confirmed } from './dialog.ts';
import { attempt, button, outcomePlace, part, success, type View } from './view.ts';

function kindOf({ kind, purpose }: Credential): keyof Text['credentials']['kinds'] {
  return kind === 'passkey' ? 'passkey' : purpose;
}

/** Passkeys and phrase: what may act for the wallet. */
export function credentialsPart(view: View): HTMLElement {
  const { app, text } = view;
  const list = h('ul', { class: 'rows' });
  const outcome = outcomePlace();
  const show = (): void =>
    void attempt(view, outcome, {
      action: 'credentials',
      work: () => app.wallet.credentials(),
      done: (credentials) => replace(list, ...credentials.map(row)),
    });
  const row = (credential: Credential): HTMLElement => {
    const id = idOfCredential(credential);
    const name = text.credentials.kinds[kindOf(credential)];
    const own = app.wallet.profile?.credential;
    const isOwn = own !== null && own !== undefined && equalBytes(idOfCredential(own), id);
    return h(
      'li',
      { 'data-credential': kindOf(credential), 'data-id': toHex(id) },
      h('span', {}, h('strong', {}, name), ` ${credential.kind === 'passkey' ? credential.label : ''}`),
      isOwn
        ? h('span', { class: 'badge' }, text.credentials.last)
        : button(text.credentials.remove, 'danger', () => void remove(id, name), {
            'aria-label': text.credentials.removeNamed(name),
          }),
    );
  };
  const remove = async (id: Uint8Array, name: string): Promise<void> => {
    if (!(await confirmed(text, text.credentials.heading, text.credentials.confirm(name), text.credentials.remove))) return;
    await attempt(view, outcome, {
      action: 'credentials',
      work: () => app.wallet.removeCredential(id),
      done: () => {
        list.querySelector(`[data-id="${toHex(id)}"]`)?.remove();
        replace(outcome, success(text.credentials.removed));
      },
    });
  };
  const add = (): void =>
    void attempt(view, outcome, {
      action: 'credentials',
      work: () => app.wallet.addPasskey(),
      done: () => {
        replace(list);
        replace(outcome, success(text.credentials.added));
      },
    });
  return part(
    text.credentials.heading,
    'credentials',
    h('p', {}, text.credentials.lead),
    h('div', { class: 'actions' }, button(text.credentials.show, 'quiet', show), button(text.credentials.add, 'quiet', add)),
    list,
    outcome,
  );
}
