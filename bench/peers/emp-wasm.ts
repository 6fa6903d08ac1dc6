import type { Contestant } from './contestant.ts';
import { loadPeer } from './install.ts';
import { bitsOf, INPUT_BITS } from './work.ts';

type Channel = 'a' | 'b';

interface BufferedIo {
  accept(channel: Channel, data: Uint8Array): void;
}

/** The part of emp-wasm's public API that is used here. */
interface EmpWasm {
  readonly BufferedIO: new (
    otherParty: number,
    send: (toParty: number, channel: Channel, data: Uint8Array) => void,
  ) => BufferedIo;
  secureMPC(options: {
    readonly party: number;
    readonly size: number;
    readonly circuit: string;
    readonly inputBits: Uint8Array;
    readonly inputBitsPerParty: readonly number[];
    readonly io: BufferedIo;
  }): Promise<Uint8Array>;
}

/** The header of older Bristol circuits: gates and wires, then the bits of both inputs and of the output in one line. */
function olderHeader(text: string): string {
  const [counts = '', inputs = '', outputs = '', ...gates] = text.split('\n');
  return [counts, [...inputs.split(' ').slice(1), ...outputs.split(' ').slice(1)].join(' '), ...gates].join('\n');
}

/** emp-wasm: authenticated garbling, secure against malicious parties. In its default mode, as its documentation calls it. */
export const empWasm: Contestant = {
  async prepare({ ofBoth }) {
    const { BufferedIO, secureMPC } = loadPeer('emp-wasm') as EmpWasm;
    const circuit = olderHeader(await ofBoth());
    return (a, b) => async () => {
      let bytes = 0;
      const ios: BufferedIo[] = [0, 1].map(
        (party) =>
          new BufferedIO(1 - party, (toParty, channel, data) => {
            bytes += data.length;
            const copy = data.slice();
            setImmediate(() => ios[toParty]?.accept(channel, copy));
          }),
      );
      const common = { size: 2, circuit, inputBitsPerParty: [INPUT_BITS, INPUT_BITS] };
      const results = await Promise.all(
        ios.map((io, party) => secureMPC({ ...common, party, io, inputBits: Uint8Array.from(bitsOf(party === 0 ? a : b)) })),
      );
      return { results: results.map((bits) => [...bits]), bytes };
    };
  },
};
