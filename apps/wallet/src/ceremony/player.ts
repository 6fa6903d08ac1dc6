import type { CeremonyAnswer } from '@streaming-yao/wire';
import { h, replace } from '../dom.ts';
import type { Exchange } from '../exchanges.ts';
import { milliseconds, wholeBytes } from '../text/number.ts';
import type { Text } from '../text/text.ts';
import { type Chart, drawChart } from './chart.ts';
import { type MeasuredCeremony, overlapOf, type Span, spanOfDerivers, wholeSpan } from './message.ts';
import { tableStrip } from './table-strip.ts';

/** How long a whole ceremony plays, whatever it took. */
const PLAYING_MS = 9_000;
const NARROWEST = 300;

const wantsStill = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches;

/** Plays a measured ceremony slowly: drawing, table frames, and a slider for the moment. */
export class Player {
  readonly element: HTMLElement;
  readonly #measured: MeasuredCeremony;
  readonly #text: Text;
  readonly #stage = h('div', { class: 'stage' });
  readonly #slider: HTMLInputElement;
  readonly #button: HTMLButtonElement;
  readonly #strip: ReturnType<typeof tableStrip>;
  readonly #sizes: ResizeObserver;
  readonly #slowness = h('p', { class: 'hint' });
  #span: Span;
  #chart: Chart | undefined;
  #atMs: number;
  #playing = false;

  constructor(measured: MeasuredCeremony, exchange: Exchange, answer: CeremonyAnswer, text: Text) {
    this.#measured = measured;
    this.#text = text;
    this.#span = wholeSpan(measured);
    this.#atMs = measured.totalMs;
    this.#strip = tableStrip(measured, text);
    this.#slider = h('input', {
      type: 'range',
      step: 0.1,
      'aria-label': text.ceremony.moment,
      on: { input: () => this.#showFromSlider() },
    });
    this.#button = h('button', { type: 'button', class: 'quiet', on: { click: () => this.#toggle() } });
    this.element = h(
      'div',
      { class: 'player' },
      h('div', { class: 'controls' }, this.#button, this.#slider),
      this.#slowness,
      this.#spans(),
      this.#stage,
      this.#strip.element,
      ...facts(measured, answer, text).map((fact) => h('p', { class: 'fact' }, fact)),
      h('p', { class: 'hint' }, text.ceremony.clocks),
    );
    this.#sizes = new ResizeObserver(() => this.#draw());
    this.#sizes.observe(this.#stage);
    this.#choose(this.#span);
    this.#label();
    if (!wantsStill() && performance.now() - exchange.endedAt < PLAYING_MS) this.#play();
  }

  /** Ends what moves and listens. */
  close(): void {
    this.#playing = false;
    this.#sizes.disconnect();
  }

  #spans(): HTMLElement {
    const { whole, derivers, span } = this.#text.ceremony;
    const choice = (label: string, id: string, chosen: Span, checked: boolean) =>
      h(
        'span',
        { class: 'check' },
        h('input', { type: 'radio', name: 'span', id, checked, on: { change: () => this.#choose(chosen) } }),
        h('label', { for: id }, label),
      );
    return h(
      'fieldset',
      { class: 'spans' },
      h('legend', { class: 'unseen' }, span),
      choice(whole, 'span-whole', wholeSpan(this.#measured), true),
      choice(derivers, 'span-derivers', spanOfDerivers(this.#measured), false),
    );
  }

  #choose(span: Span): void {
    const text = this.#text;
    const playing = this.#playing;
    this.#pause();
    this.#span = span;
    this.#slider.min = String(Math.floor(span.fromMs));
    this.#slider.max = String(Math.ceil(span.toMs));
    const slower = Math.max(1, Math.round(PLAYING_MS / (span.toMs - span.fromMs))).toLocaleString(text.locale);
    const measured = text.ceremony.measured(milliseconds(this.#measured.totalMs, text));
    this.#slowness.textContent = `${measured} ${text.ceremony.slowed(slower)}`;
    this.#chart = undefined;
    this.#draw();
    this.#show(span.toMs);
    if (playing) this.#play();
  }

  #draw(): void {
    const width = Math.max(NARROWEST, Math.floor(this.#stage.clientWidth));
    if (this.#chart?.element.width.baseVal.value === width) return;
    this.#chart = drawChart(this.#measured, this.#span, width, this.#text);
    this.#chart.show(this.#atMs);
    replace(this.#stage, this.#chart.element);
  }

  #showFromSlider(): void {
    this.#pause();
    this.#show(Number(this.#slider.value));
  }

  #show(atMs: number): void {
    const { totalMs } = this.#measured;
    this.#atMs = Math.min(atMs, this.#span.toMs);
    this.#slider.value = String(this.#atMs);
    const [at, whole] = [milliseconds(this.#atMs, this.#text), milliseconds(totalMs, this.#text)];
    this.#slider.setAttribute('aria-valuetext', this.#text.ceremony.momentValue(at, whole));
    this.#chart?.show(this.#atMs);
    this.#strip.show(this.#atMs);
  }

  #label(): void {
    this.#button.textContent = this.#playing ? this.#text.ceremony.pause : this.#text.ceremony.play;
  }

  #toggle(): void {
    if (this.#playing) this.#pause();
    else this.#play();
  }

  #pause(): void {
    this.#playing = false;
    this.#label();
  }

  #play(): void {
    const { fromMs, toMs } = this.#span;
    const whole = toMs - fromMs;
    const begin = this.#atMs >= toMs || this.#atMs < fromMs ? fromMs : this.#atMs;
    const startedAt = performance.now() - ((begin - fromMs) / whole) * PLAYING_MS;
    this.#playing = true;
    this.#label();
    const step = (): void => {
      if (!this.#playing) return;
      const atMs = fromMs + ((performance.now() - startedAt) / PLAYING_MS) * whole;
      this.#show(atMs);
      if (atMs < toMs) requestAnimationFrame(step);
      else this.#pause();
    };
    requestAnimationFrame(step);
  }
}

function facts({ shiftMs }: MeasuredCeremony, answer: CeremonyAnswer, text: Text): readonly string[] {
  const { aToB, bToA } = answer.traffic;
  const overlap = overlapOf(answer);
  return [
    text.ceremony.total(wholeBytes(aToB, text), wholeBytes(bToA, text)),
    ...(overlap ? [text.ceremony.overlap(overlap.evaluatedBeforeLast, overlap.frames)] : []),
    ...(Math.abs(shiftMs) > 1 ? [text.ceremony.shifted(milliseconds(Math.abs(shiftMs), text))] : []),
  ];
}
