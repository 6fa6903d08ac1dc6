import { YaoError } from '@streaming-yao/client';
import type { App } from '../app.ts';
import type { Action } from '../ceremony/recording.ts';
import { type Attributes, type Child, h, replace } from '../dom.ts';
import type { Text } from '../text/text.ts';

/** What every view is given. */
export interface View {
  readonly app: App;
  readonly text: Text;
}

type Kind = 'primary' | 'quiet' | 'danger';

export function button(label: string, kind: Kind, click: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return h('button', { type: 'button', class: kind, ...attributes, on: { click } }, label);
}

/** A labelled form control. */
export function field(label: string, control: HTMLElement & { id: string }, ...more: readonly Child[]): HTMLElement {
  return h('div', { class: 'field' }, h('label', { for: control.id }, label), control, ...more);
}

/** A heading that can take the focus when its screen appears. */
export const screenHeading = (heading: string): HTMLElement => h('h1', { tabindex: -1 }, heading);

/** A part of the wallet that unfolds. */
export function part(heading: string, name: string, ...children: readonly Child[]): HTMLDetailsElement {
  const summary = h('summary', {}, h('h2', {}, heading));
  return h('details', { class: 'part', 'data-part': name }, summary, h('div', { class: 'inside' }, ...children));
}

export function copyButton({ text }: View, value: () => string, label = text.common.copy): HTMLButtonElement {
  const made: HTMLButtonElement = button(label, 'quiet', () => {
    void navigator.clipboard.writeText(value()).then(() => {
      made.textContent = text.common.copied;
      setTimeout(() => {
        made.textContent = label;
      }, 2000);
    });
  });
  made.setAttribute('aria-live', 'polite');
  return made;
}

/** One attempt at an action, as a view begins it. */
export interface Attempt<T> {
  readonly action: Action;
  readonly work: () => Promise<T>;
  readonly done: (result: T) => void;
  /** What an action has come to that an earlier attempt had sent off already; without it a retry starts over. */
  readonly taken?: () => Promise<T>;
}

/** Runs an action, and says in `place` why it failed and how to go on. */
export async function attempt<T>(view: View, place: HTMLElement, tried: Attempt<T>, again = false): Promise<void> {
  const { app } = view;
  const { action, work, done, taken } = tried;
  if (app.running) return;
  replace(place);
  let result: T;
  try {
    result = again && taken ? await app.runAgain(action, work, taken) : await app.run(action, work);
  } catch (error) {
    replace(
      place,
      failure(view, error, () => void attempt(view, place, tried, true)),
    );
    return;
  }
  done(result);
}

/** Where failures and results of an action appear; screen readers hear of them. */
export const outcomePlace = (): HTMLDivElement => h('div', { class: 'outcome', 'aria-live': 'polite' });

export const success = (sentence: string): HTMLElement => h('p', { class: 'success' }, sentence);

/** Roles behind the Router, which answers for them. */
const BEHIND_ROUTER = ['deriver-a', 'deriver-b', 'signing-worker'] as const;

export function sentenceOf(text: Text, error: unknown): string {
  if (!(error instanceof YaoError)) return text.errors.unexpected;
  const { code, party } = error;
  const role = BEHIND_ROUTER.find((behind) => behind === party);
  if (code === 'peer_failed' && role) return text.roleFailed(text.parties[role].name);
  return text.errors[code] ?? text.errors.unexpected;
}

function failure({ text }: View, error: unknown, retry: () => void): HTMLElement {
  const code = error instanceof YaoError ? error.code : 'unexpected';
  return h(
    'div',
    { class: 'failure', role: 'alert', 'data-code': code },
    h('p', {}, sentenceOf(text, error), ' ', h('code', {}, code)),
    button(text.common.retry, 'quiet', retry),
  );
}
