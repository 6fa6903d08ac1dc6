import { type Circuit, writeBristol } from '@streaming-yao/engine';

/** Lines of sizes, and a blank one. */
const HEADER_LINES = 4;

/**
 * The circuit in Bristol Fashion with no gate but AND, XOR and INV, which is all that the peers read: a copy becomes an XOR with
 * a wire that is always 0, the XOR of the first input bit with itself, which is free.
 */
export function plainBristol(circuit: Circuit): string {
  const inputs = circuit.inputSizes.reduce((total, size) => total + size, 0);
  const lines = writeBristol(circuit).trimEnd().split('\n');
  const [gates = 0, wires = 0] = (lines[0] ?? '').split(' ').map(Number);
  const zero = inputs;
  /** Wires behind the zero have moved up by one. */
  const moved = (wire: string | undefined): number => Number(wire) + (Number(wire) < inputs ? 0 : 1);
  const plain = lines.slice(HEADER_LINES).map((line) => {
    const fields = line.split(' ');
    const kind = fields.pop();
    const wires = fields.splice(2).map(moved);
    if (kind === 'EQW') return `2 1 ${wires[0]} ${zero} ${wires[1]} XOR`;
    return [...fields, ...wires, kind].join(' ');
  });
  const sizes = lines.slice(1, HEADER_LINES - 1);
  return [`${gates + 1} ${wires + 1}`, ...sizes, `2 1 0 0 ${zero} XOR`, ...plain, ''].join('\n');
}
