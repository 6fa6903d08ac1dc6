import type { KeyFormat } from '@streaming-yao/client';
import type { Message, Party } from '../ceremony/message.ts';
import type { Action } from '../ceremony/recording.ts';
import type { Language, Theme } from '../settings.ts';
import { en } from './en.ts';
import { ja } from './ja.ts';

/** What a role saw in an action and what stayed hidden from it. */
export interface Knowledge {
  readonly saw: string;
  readonly hidden: string;
}

/** The kinds of action by what the roles learn. */
export type KnowledgeKind = 'share' | 'export' | 'sign';

/** Everything the page says, in one language. */
export interface Text {
  /** For numbers and dates. */
  readonly locale: string;
  readonly title: string;
  readonly subtitle: string;
  readonly skip: string;
  readonly language: string;
  readonly theme: { readonly label: string; readonly names: Readonly<Record<Theme, string>> };
  readonly footer: string;
  readonly actions: Readonly<Record<Action, string>>;
  readonly parties: Readonly<Record<Party, { readonly name: string; readonly short: string; readonly letter: string }>>;
  readonly common: {
    readonly copy: string;
    readonly copied: string;
    readonly back: string;
    readonly cancel: string;
    readonly retry: string;
    readonly close: string;
    readonly thisDevice: string;
    readonly loading: string;
  };
  readonly welcome: {
    readonly heading: string;
    readonly lead: string;
    readonly create: string;
    readonly recover: string;
    readonly passkey: string;
    readonly link: string;
    readonly approveFirst: string;
  };
  readonly create: {
    readonly heading: string;
    readonly lead: string;
    readonly words: string;
    readonly copyWords: string;
    readonly written: string;
    readonly submit: string;
    readonly prompts: string;
    readonly noPrf: string;
    readonly phraseOnly: string;
  };
  readonly unfinished: { readonly heading: string; readonly lead: string; readonly finish: string; readonly discard: string };
  readonly recover: {
    readonly heading: string;
    readonly lead: string;
    readonly phrase: string;
    readonly others: string;
    readonly endOthers: string;
    readonly keepOthers: string;
    readonly submit: string;
  };
  readonly wallet: {
    readonly heading: string;
    readonly solana: string;
    readonly near: string;
    readonly nobody: string;
    readonly linked: string;
    readonly typedPhrase: string;
    readonly unconfirmed: string;
    readonly confirm: string;
    readonly confirmed: string;
  };
  readonly sign: {
    readonly heading: string;
    readonly message: string;
    readonly submit: string;
    readonly signature: string;
    readonly verified: (requests: number, ms: string) => string;
  };
  readonly refresh: {
    readonly heading: string;
    readonly lead: string;
    readonly submit: string;
    readonly done: (epoch: number) => string;
  };
  readonly devices: {
    readonly heading: string;
    readonly lead: string;
    readonly show: string;
    readonly lane: (lane: number) => string;
    readonly since: (when: string, epoch: number) => string;
    readonly remove: string;
    readonly removeNamed: (lane: number) => string;
    readonly removed: (lane: number) => string;
    readonly confirm: (lane: number) => string;
  };
  readonly link: {
    readonly heading: string;
    readonly offerHeading: string;
    readonly offerLead: string;
    readonly offerQr: string;
    readonly copyLink: string;
    readonly check: string;
    readonly answer: string;
    readonly answerLead: string;
    readonly accept: string;
    readonly approveLead: string;
    readonly code: string;
    readonly read: string;
    readonly approveQuestion: (word: string) => string;
    readonly approve: string;
    readonly approved: string;
    readonly approvalQr: string;
    readonly unreadable: string;
    readonly wrongCode: string;
  };
  readonly credentials: {
    readonly heading: string;
    readonly lead: string;
    readonly show: string;
    readonly kinds: Readonly<Record<'passkey' | 'recovery' | 'device', string>>;
    readonly add: string;
    readonly added: string;
    readonly remove: string;
    readonly removeNamed: (name: string) => string;
    readonly removed: string;
    readonly confirm: (name: string) => string;
    readonly last: string;
  };
  readonly export: {
    readonly heading: string;
    readonly warning: string;
    readonly format: string;
    readonly formats: Readonly<Record<KeyFormat, string>>;
    readonly submit: string;
    readonly key: string;
    readonly hiddenKey: string;
    readonly reveal: string;
    readonly hide: string;
    readonly forget: string;
    readonly ready: string;
    readonly forgotten: string;
  };
  readonly audit: {
    readonly heading: string;
    readonly lead: string;
    readonly show: string;
    readonly when: string;
    readonly event: string;
    readonly ceremony: string;
    readonly outcome: string;
    readonly events: Readonly<Record<string, string>>;
    readonly none: string;
  };
  readonly forget: { readonly heading: string; readonly lead: string; readonly submit: string; readonly confirm: string };
  readonly phrase: { readonly heading: string; readonly lead: string; readonly submit: string };
  readonly steps: Readonly<Record<string, string>>;
  readonly errors: Readonly<Record<string, string>> & { readonly unexpected: string };
  /** What `peer_failed` means where it is not the Router that is missing. */
  readonly roleFailed: (role: string) => string;
  readonly ceremony: {
    readonly heading: string;
    readonly lead: string;
    readonly empty: string;
    readonly introduction: Readonly<Record<Party, string>>;
    readonly choose: string;
    readonly chartLabel: string;
    readonly measured: (ms: string) => string;
    readonly slowed: (times: string) => string;
    readonly span: string;
    readonly whole: string;
    readonly derivers: string;
    readonly play: string;
    readonly pause: string;
    readonly moment: string;
    readonly momentValue: (at: string, whole: string) => string;
    readonly tables: (frames: number, bytes: string) => string;
    readonly tablesState: (garbled: number, evaluated: number, frames: number) => string;
    readonly garbled: string;
    readonly evaluated: string;
    readonly overlap: (evaluated: number, frames: number) => string;
    readonly total: (toB: string, toA: string) => string;
    readonly shifted: (ms: string) => string;
    readonly clocks: string;
    readonly list: string;
    readonly columns: {
      readonly at: string;
      readonly from: string;
      readonly to: string;
      readonly message: string;
      readonly bytes: string;
    };
    readonly messages: Readonly<Record<string, string>>;
    readonly messageLine: (message: Message) => string;
    readonly requests: string;
    readonly requestColumns: { readonly path: string; readonly sent: string; readonly received: string; readonly took: string };
    readonly noCeremony: string;
    readonly failed: string;
    readonly knowledge: string;
    readonly saw: string;
    readonly hidden: string;
    readonly roles: Readonly<Record<KnowledgeKind, Readonly<Record<Party, Knowledge>>>>;
  };
}

export const textIn = (language: Language): Text => ({ en, ja })[language];
