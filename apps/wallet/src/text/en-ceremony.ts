import { kilobytes, milliseconds } from './number.ts';
import type { Text } from './text.ts';

const locale = { locale: 'en' };

const messages: Text['ceremony']['messages'] = {
  request: 'request',
  call: 'call',
  answer: 'answer',
  open: 'open',
  accept: 'accept',
  tables: 'tables',
  pads: 'pads',
  credit: 'credit',
  output: 'output',
  receipt: 'receipt',
  cosignature: 'cosignature',
  abort: 'abort',
};

const device = 'This device';

export const enCeremony: Text['ceremony'] = {
  heading: 'The ceremony, as it was measured',
  lead: 'Each action is recorded while it runs and can be played slowly. Every time and every byte here was measured; nothing is made up.',
  empty: 'Nothing has run in this tab yet. Create a wallet or sign a message, and watch here what passed between the roles.',
  introduction: {
    client: 'Keeps one share of the key and a wrapped root. It asks, and checks every answer.',
    router: 'Lets requests in and passes them on. Trusted with nothing but being there.',
    'deriver-a': 'Garbles the circuit that makes the key from three secret parts, and streams it.',
    'deriver-b': 'Evaluates what A streams, without ever seeing what it computes.',
    'signing-worker': 'Keeps the other share of the key. It signs together with this device.',
  },
  choose: 'Recorded action',
  chartLabel:
    'Drawing of the ceremony: the five parties as columns, time running downward, messages as arrows. The list below has the same content as a table.',
  measured: (ms) => `${ms} from request to answer, by this page’s clock.`,
  slowed: (times) => `Played ${times} times slower.`,
  span: 'What is drawn',
  whole: 'From request to answer',
  derivers: 'Only between the Derivers',
  play: 'Play',
  pause: 'Pause',
  moment: 'Moment of the ceremony',
  momentValue: (at, whole) => `${at} of ${whole}`,
  tables: (frames, bytes) => `Garbled tables: ${frames} frames, ${bytes}`,
  tablesState: (garbled, evaluated, frames) => `${garbled} garbled, ${evaluated} taken up by B, of ${frames}`,
  garbled: 'garbled and sent by A',
  evaluated: 'taken up by B',
  overlap: (evaluated, frames) =>
    evaluated === 0
      ? `A sent its last of ${frames} frames before B had reported any as evaluated.`
      : `Garbling and evaluation ran side by side: before A sent its last of ${frames} frames, B had reported at least ${evaluated} as evaluated.`,
  total: (toB, toA) => `Between the Derivers: ${toB} from A to B, ${toA} from B to A.`,
  shifted: (ms) => `The roles’ clocks differ from this page’s by ${ms}; they were moved by that, all alike.`,
  clocks:
    'Roles report whole milliseconds by their own clocks. On Cloudflare a Worker’s clock stands still while it computes, so spans inside a role say little there; the order and the bytes hold everywhere.',
  list: 'All messages as a table',
  columns: { at: 'Sent at', from: 'From', to: 'To', message: 'Message', bytes: 'Bytes' },
  messages,
  messageLine: ({ from, to, name, bytes, sentAt }) =>
    `${milliseconds(sentAt, locale)}: ${messages[name] ?? name}, ${kilobytes(bytes, locale)}, ${from} → ${to}`,
  requests: 'Requests of this page',
  requestColumns: { path: 'Request', sent: 'Sent', received: 'Received', took: 'Took' },
  noCeremony: 'The Derivers took no part in this action.',
  failed: 'This action did not come to its end.',
  knowledge: 'Who saw what',
  saw: 'Saw',
  hidden: 'Could not see',
  roles: {
    share: {
      client: {
        saw: 'Its own client root and its new share of the key.',
        hidden: 'The key and its seed, the SigningWorker’s share, the roots of A and B.',
      },
      router: {
        saw: 'Who asked for what and when, the public key, the receipt that both Derivers signed.',
        hidden: 'Every secret: roots, shares and packages pass it sealed.',
      },
      'deriver-a': {
        saw: 'One part of the device’s input, which alone is noise; its own root; the circuit it garbled; its own output share.',
        hidden: 'The other part, B’s root, which labels B chose, the seed, the key.',
      },
      'deriver-b': {
        saw: 'The other part, alone noise as well; its own root; one label of each wire; its own output share.',
        hidden: 'What the labels mean, A’s part and root, the seed, the key.',
      },
      'signing-worker': {
        saw: 'Two packages sealed to it, which add up to its own new share; the receipt.',
        hidden: `${device}’s share, the seed, the key.`,
      },
    },
    export: {
      client: {
        saw: 'The seed: two halves, sealed to this device, put together here and compared with the address.',
        hidden: 'The roots of A and B.',
      },
      router: {
        saw: 'That an export was asked for and authorized, the receipt.',
        hidden: 'The seed: both halves pass it sealed.',
      },
      'deriver-a': {
        saw: 'Its half of the seed under fresh masks, which alone is noise.',
        hidden: 'B’s half, and so the seed.',
      },
      'deriver-b': {
        saw: 'Its half of the seed under fresh masks, which alone is noise.',
        hidden: 'A’s half, and so the seed.',
      },
      'signing-worker': { saw: 'Nothing: it is not called.', hidden: 'The export as a whole.' },
    },
    sign: {
      client: { saw: 'The message, its own share, the finished signature.', hidden: 'The SigningWorker’s share.' },
      router: { saw: 'The message, public commitments, signature shares.', hidden: 'Every share of the key.' },
      'deriver-a': { saw: 'Nothing: it is not called.', hidden: 'The message and the signature.' },
      'deriver-b': { saw: 'Nothing: it is not called.', hidden: 'The message and the signature.' },
      'signing-worker': {
        saw: 'The message, its own share, this device’s signature share.',
        hidden: `${device}’s share of the key.`,
      },
    },
  },
};
