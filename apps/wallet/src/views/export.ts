import { base64 } from '@scure/base';
import { KEY_FORMATS, parseKeyFormat } from '@streaming-yao/client';
import { h, replace } from '../dom.ts';
import { attempt, button, copyButton, field, outcomePlace, part, success, type View } from './view.ts';

/** The key leaves the page by itself after this time. */
const SHOWN_MS = 120_000;

/** Gives the whole key out, hidden until it is asked for. */
export function exportPart(view: View): HTMLElement {
  const { app, text } = view;
  const outcome = outcomePlace();
  const formats = KEY_FORMATS.map((name) =>
    h('option', { value: name, selected: name === 'solana-base58' }, text.export.formats[name]),
  );
  const format = h('select', { id: 'format' }, ...formats);
  const submit = (): void =>
    void attempt(view, outcome, {
      action: 'export',
      work: () => app.wallet.exportKey(parseKeyFormat(format.value)),
      done: ({ key }) =>
        replace(outcome, success(text.export.ready), shownKey(view, typeof key === 'string' ? key : base64.encode(key), outcome)),
    });
  return part(
    text.export.heading,
    'export',
    h('p', { class: 'warning' }, text.export.warning),
    field(text.export.format, format),
    h('div', { class: 'actions' }, button(text.export.submit, 'danger', submit)),
    outcome,
  );
}

function shownKey(view: View, key: string, outcome: HTMLElement): HTMLElement {
  const { text } = view;
  const place = h('pre', { class: 'secret', 'aria-label': text.export.key, translate: 'no' }, text.export.hiddenKey);
  let isShown = false;
  const toggle = button(text.export.reveal, 'quiet', () => {
    isShown = !isShown;
    place.textContent = isShown ? key : text.export.hiddenKey;
    place.classList.toggle('shown', isShown);
    toggle.textContent = isShown ? text.export.hide : text.export.reveal;
  });
  const forget = (): void => {
    clearTimeout(timer);
    place.textContent = '';
    if (outcome.contains(place)) replace(outcome, success(text.export.forgotten));
  };
  const timer = setTimeout(forget, SHOWN_MS);
  return h(
    'div',
    {},
    place,
    h(
      'div',
      { class: 'actions' },
      toggle,
      copyButton(view, () => key),
      button(text.export.forget, 'quiet', forget),
    ),
  );
}
