import { h, replace } from '../dom.ts';
import { milliseconds, wholeBytes } from '../text/number.ts';
import type { KnowledgeKind, Text } from '../text/text.ts';
import { type MeasuredCeremony, measuredCeremony, PARTIES } from './message.ts';
import { Player } from './player.ts';
import { ceremonyIn, type Recording, type Recordings } from './recording.ts';

/** Shows what passed between the roles in the actions of this tab. */
export class CeremonyPanel {
  readonly element: HTMLElement;
  readonly #recordings: Recordings;
  readonly #text: Text;
  readonly #choice: HTMLSelectElement;
  readonly #chosen = h('div', { class: 'recording' });
  #player: Player | undefined;
  #shown: Recording | undefined;

  constructor(recordings: Recordings, text: Text) {
    this.#recordings = recordings;
    this.#text = text;
    this.#choice = h('select', { id: 'recording', on: { change: () => this.#show(this.#selected()) } });
    this.element = h(
      'section',
      { class: 'ceremony', 'aria-labelledby': 'ceremony-heading' },
      h('h2', { id: 'ceremony-heading' }, text.ceremony.heading),
      h('p', { class: 'lead' }, text.ceremony.lead),
      this.#chosen,
    );
    this.update();
  }

  /** Takes in what has been recorded since; a new recording that came to its end is shown. */
  update(): void {
    const ended = this.#recordings.all.filter(({ outcome, exchanges }) => outcome !== 'running' && exchanges.length > 0);
    const newest = ended[0];
    if (!newest) {
      replace(this.#chosen, h('p', { class: 'empty' }, this.#text.ceremony.empty), introduction(this.#text));
      return;
    }
    if (newest.number === this.#shown?.number) return;
    replace(this.#choice, ...ended.map((recording) => this.#option(recording)));
    this.#show(newest);
  }

  close(): void {
    this.#player?.close();
  }

  #option(recording: Recording): HTMLOptionElement {
    const { number, action, exchanges } = recording;
    const took = exchanges.reduce((sum, { startedAt, endedAt }) => sum + endedAt - startedAt, 0);
    return h('option', { value: number }, `${number}. ${this.#text.actions[action]}, ${milliseconds(took, this.#text)}`);
  }

  #selected(): Recording | undefined {
    return this.#recordings.all.find(({ number }) => String(number) === this.#choice.value);
  }

  #show(recording: Recording | undefined): void {
    if (!recording) return;
    const text = this.#text;
    this.#player?.close();
    this.#player = undefined;
    this.#shown = recording;
    const ceremony = ceremonyIn(recording);
    const measured = ceremony && measuredCeremony(ceremony.exchange, ceremony.answer);
    if (ceremony && measured) this.#player = new Player(measured, ceremony.exchange, ceremony.answer, text);
    const silent = recording.outcome === 'failed' ? text.ceremony.failed : text.ceremony.noCeremony;
    replace(
      this.#chosen,
      h('div', { class: 'field' }, h('label', { for: 'recording' }, text.ceremony.choose), this.#choice),
      this.#player?.element ?? h('p', {}, silent),
      measured && messageList(measured, text),
      requestList(recording, text),
      knowledge(kindOf(recording), text),
    );
  }
}

/** Who takes part, for whoever has run nothing yet. */
function introduction(text: Text): HTMLElement {
  const cards = PARTIES.map((party) =>
    h('li', { 'data-party': party }, h('h3', {}, text.parties[party].name), h('p', {}, text.ceremony.introduction[party])),
  );
  return h('div', { class: 'knowledge' }, h('ul', {}, ...cards));
}

function kindOf({ action, exchanges, outcome }: Recording): KnowledgeKind | undefined {
  if (outcome === 'failed') return undefined;
  if (action === 'sign') return 'sign';
  if (action === 'export') return 'export';
  return exchanges.some(({ ceremony }) => ceremony) ? 'share' : undefined;
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): HTMLTableElement {
  const cells = (row: readonly string[]) => row.map((value) => h('td', {}, value));
  return h(
    'table',
    {},
    h('thead', {}, h('tr', {}, ...columns.map((column) => h('th', { scope: 'col' }, column)))),
    h('tbody', {}, ...rows.map((row) => h('tr', {}, ...cells(row)))),
  );
}

function folded(heading: string, content: Node): HTMLElement {
  const scrolling = h('div', { class: 'scrolling', tabindex: 0, role: 'region', 'aria-label': heading }, content);
  return h('details', {}, h('summary', {}, heading), scrolling);
}

function messageList({ messages }: MeasuredCeremony, text: Text): HTMLElement {
  const { at, from, to, message, bytes } = text.ceremony.columns;
  const rows = messages.map((one) => [
    milliseconds(one.sentAt, text),
    text.parties[one.from].name,
    text.parties[one.to].name,
    text.ceremony.messages[one.name] ?? one.name,
    wholeBytes(one.bytes, text),
  ]);
  return folded(`${text.ceremony.list} (${rows.length})`, table([at, from, to, message, bytes], rows));
}

function requestList({ exchanges }: Recording, text: Text): HTMLElement {
  const { path, sent, received, took } = text.ceremony.requestColumns;
  const rows = exchanges.map((exchange) => [
    exchange.path,
    wholeBytes(exchange.sentBytes, text),
    wholeBytes(exchange.receivedBytes, text),
    milliseconds(exchange.endedAt - exchange.startedAt, text),
  ]);
  return folded(`${text.ceremony.requests} (${rows.length})`, table([path, sent, received, took], rows));
}

function knowledge(kind: KnowledgeKind | undefined, text: Text): HTMLElement | undefined {
  if (!kind) return undefined;
  const roles = text.ceremony.roles[kind];
  const cards = PARTIES.map((party) =>
    h(
      'li',
      { 'data-party': party },
      h('h4', {}, text.parties[party].name),
      h(
        'dl',
        {},
        h('dt', {}, text.ceremony.saw),
        h('dd', {}, roles[party].saw),
        h('dt', {}, text.ceremony.hidden),
        h('dd', {}, roles[party].hidden),
      ),
    ),
  );
  return h('div', { class: 'knowledge' }, h('h3', {}, text.ceremony.knowledge), h('ul', {}, ...cards));
}
