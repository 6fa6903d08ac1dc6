import { base58 } from '@scure/base';
import { utf8 } from '@streaming-yao/core';
import { nearAccount, solanaAddress } from '../address.ts';
import { h, replace } from '../dom.ts';
import { milliseconds } from '../text/number.ts';
import { auditPart } from './audit.ts';
import { credentialsPart } from './credentials.ts';
import { devicesPart } from './devices.ts';
import { exportPart } from './export.ts';
import { forgetPart } from './forget.ts';
import { approvePart } from './link-approve.ts';
import { refreshPart } from './refresh.ts';
import { attempt, button, copyButton, field, outcomePlace, screenHeading, success, type View } from './view.ts';

export function walletScreen(view: View): HTMLElement {
  const { app } = view;
  const mayChange = app.wallet.access !== 'linked';
  return h(
    'section',
    { class: 'screen wallet' },
    addressCard(view),
    signCard(view),
    mayChange && refreshPart(view),
    mayChange && approvePart(view),
    devicesPart(view),
    mayChange && credentialsPart(view),
    mayChange && exportPart(view),
    mayChange && auditPart(view),
    forgetPart(view),
  );
}

function addressCard(view: View): HTMLElement {
  const { app, text } = view;
  const publicKey = app.wallet.profile?.publicKey ?? new Uint8Array(32);
  const note = { passkey: undefined, phrase: text.wallet.typedPhrase, linked: text.wallet.linked }[app.wallet.access];
  return h(
    'div',
    { class: 'card address' },
    screenHeading(text.wallet.heading),
    addressLine(view, text.wallet.solana, solanaAddress(publicKey), 'solana'),
    addressLine(view, text.wallet.near, nearAccount(publicKey), 'near'),
    h('p', { class: 'hint' }, text.wallet.nobody),
    note !== undefined && h('p', { class: 'note' }, note),
    confirmation(view),
  );
}

/** Asks for the second derivation of a new key, until it has been made. */
function confirmation(view: View): HTMLElement {
  const { app, text } = view;
  const outcome = outcomePlace();
  const confirm = (): void =>
    void attempt(view, outcome, {
      action: 'refresh',
      work: () => app.wallet.confirmDerivation(),
      taken: async () => true,
      done: () => replace(outcome, success(text.wallet.confirmed)),
    });
  const check = async (): Promise<void> => {
    const { derivationConfirmed } = await app.wallet.status();
    if (!derivationConfirmed && app.wallet.access !== 'linked') {
      replace(outcome, h('p', { class: 'warning' }, text.wallet.unconfirmed), button(text.wallet.confirm, 'primary', confirm));
    } else if (outcome.querySelector('.warning')) replace(outcome);
  };
  // A refresh is a second derivation as well.
  const stop = app.listen((change) => {
    if (!outcome.isConnected) stop();
    else if (change === 'step' && !app.running && outcome.querySelector('.warning')) void check();
  });
  void check();
  return outcome;
}

function addressLine(view: View, label: string, address: string, name: string): HTMLElement {
  const id = `address-${name}`;
  const copy = copyButton(view, () => address);
  copy.setAttribute('aria-describedby', id);
  return h(
    'div',
    { class: 'address-line' },
    h('span', { class: 'label', id }, label),
    h('code', { 'data-address': name, translate: 'no' }, address),
    copy,
  );
}

function signCard(view: View): HTMLElement {
  const { app, text } = view;
  const outcome = outcomePlace();
  const message = h('textarea', { id: 'message', rows: 2, required: true });
  const form = h(
    'form',
    {
      class: 'card',
      on: {
        submit: (event) => {
          event.preventDefault();
          sign();
        },
      },
    },
    h('h2', {}, text.sign.heading),
    field(text.sign.message, message),
    h('div', { class: 'actions' }, h('button', { type: 'submit', class: 'primary' }, text.sign.submit)),
    outcome,
  );
  const sign = (): void => {
    const startedAt = performance.now();
    void attempt(view, outcome, {
      action: 'sign',
      work: () => app.wallet.sign(utf8(message.value)),
      done: ({ signature, poolHit }) => {
        const shown = base58.encode(signature);
        const took = milliseconds(performance.now() - startedAt, text);
        replace(
          outcome,
          success(text.sign.verified(poolHit ? 1 : 2, took)),
          h('p', { class: 'label' }, text.sign.signature),
          h(
            'p',
            { class: 'value' },
            h('code', { class: 'signature', translate: 'no' }, shown),
            copyButton(view, () => shown),
          ),
        );
      },
    });
  };
  return form;
}
