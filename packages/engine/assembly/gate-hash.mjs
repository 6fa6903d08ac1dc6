// Writes the AssemblyScript of the gate hash: keyed BLAKE3 of four 16-byte labels at once, one output block, its first 16 bytes.
// Each of the sixteen state words is a vector of four lanes. What does not depend on label or counter is worked out once a key.

const MESSAGE_PERMUTATION = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
const MESSAGE_WORDS = 4;
const ROUNDS = 7;
const IV = ['0x6a09e667', '0xbb67ae85', '0x3c6ef372', '0xa54ff53a'];
const MESSAGE_BYTES = 16;
const FLAGS = 16 | 8 | 2 | 1; // KEYED_HASH, ROOT, CHUNK_END, CHUNK_START
const QUARTERS = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
];
/** State words that come out of the key alone: both quarters of the first column step without a message word, and inputs. */
const PREPARED = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14, 15];

// V8 rebuilds the mask of a constant shuffle from immediates each time; swizzles by masks from memory are a fifth faster.
const rotated16 = (x) => `v128.swizzle(${x}, rotate16)`;
const rotated8 = (x) => `v128.swizzle(${x}, rotate8)`;
const rotated = (x, by) => `v128.or(i32x4.shr_u(${x}, ${by}), i32x4.shl(${x}, ${32 - by}))`;
const add = (x, y) => `${x} = i32x4.add(${x}, ${y});`;

/** One quarter round on words named v0 to v15, with the message words m0 to m3. */
function quarter([i, j, k, l], first, second, { added = false, last = false } = {}) {
  const [a, b, c, d] = [i, j, k, l].map((word) => `v${word}`);
  const message = (word) => (word < MESSAGE_WORDS ? add(a, `m${word}`) : '');
  return [
    added ? '' : add(a, b),
    message(first),
    `${d} = ${rotated16(`v128.xor(${d}, ${a})`)};`,
    add(c, d),
    `${b} = v128.xor(${b}, ${c});`,
    `${b} = ${rotated(b, 12)};`,
    add(a, b),
    message(second),
    `${d} = ${rotated8(`v128.xor(${d}, ${a})`)};`,
    add(c, d),
    ...(last ? [] : [`${b} = v128.xor(${b}, ${c});`, `${b} = ${rotated(b, 7)};`]),
  ];
}

/** Exchanges rows and columns of the 4 by 4 words in four vectors. */
const transposed = ([a, b, c, d]) => [
  '{',
  `const t0 = v128.shuffle<u32>(${a}, ${b}, 0, 4, 1, 5);`,
  `const t1 = v128.shuffle<u32>(${a}, ${b}, 2, 6, 3, 7);`,
  `const t2 = v128.shuffle<u32>(${c}, ${d}, 0, 4, 1, 5);`,
  `const t3 = v128.shuffle<u32>(${c}, ${d}, 2, 6, 3, 7);`,
  `${a} = v128.shuffle<u32>(t0, t2, 0, 1, 4, 5);`,
  `${b} = v128.shuffle<u32>(t0, t2, 2, 3, 6, 7);`,
  `${c} = v128.shuffle<u32>(t1, t3, 0, 1, 4, 5);`,
  `${d} = v128.shuffle<u32>(t1, t3, 2, 3, 6, 7);`,
  '}',
];

const masks = ['const rotate16 = v128.load(rotations);', 'const rotate8 = v128.load(rotations, 16);'];

/** The body of the function that fills `keyState` from `key`. */
export function prepareKeyLines() {
  return [
    ...masks,
    ...Array.from({ length: 8 }, (_, i) => `let v${i} = v128.load32_splat(key, ${4 * i});`),
    ...IV.map((word, i) => `let v${8 + i} = i32x4.splat(${word});`),
    `let v14 = i32x4.splat(${MESSAGE_BYTES});`,
    `let v15 = i32x4.splat(${FLAGS});`,
    add('v0', 'v4'),
    add('v1', 'v5'),
    ...[2, 3].flatMap((i) => quarter(QUARTERS[i], MESSAGE_WORDS, MESSAGE_WORDS)),
    ...PREPARED.map((word, place) => `v128.store(keyState, v${word}, ${16 * place});`),
  ];
}

/**
 * Replaces the labels in four vector variables by their hashes at the indices in the lanes of `counter`.
 * @param {string[]} labels names of the variables
 * @param {string} counter name of the variable
 */
export function gateHashLines(labels, counter) {
  const lines = [...masks, ...labels.map((label, i) => `let m${i} = ${label};`)];
  lines.push(...transposed(['m0', 'm1', 'm2', 'm3']));
  lines.push(...PREPARED.map((word, place) => `let v${word} = v128.load(keyState, ${16 * place});`));
  lines.push(`let v12 = ${counter};`, 'let v13 = i32x4.splat(0);');
  let order = Array.from({ length: 16 }, (_, i) => i);
  for (let round = 0; round < ROUNDS; round++) {
    QUARTERS.forEach((places, i) => {
      if (round === 0 && (i === 2 || i === 3)) return;
      const options = { added: round === 0 && i < 2, last: round === ROUNDS - 1 && i >= 4 };
      lines.push(...quarter(places, order[2 * i], order[2 * i + 1], options));
    });
    order = MESSAGE_PERMUTATION.map((place) => order[place]);
  }
  lines.push(...labels.map((label, i) => `${label} = v128.xor(v${i}, v${8 + i});`), ...transposed(labels));
  return ['{', ...lines.filter((line) => line !== ''), '}'];
}

/** Expands the lines of an AssemblyScript source that ask for the hash. */
export function expandGateHash(source) {
  return source.replace(/^ *\/\/@(prepare-key|gate-hash)(.*)$/gm, (_, what, names) => {
    const words = names.trim().split(/\s+/);
    return (what === 'prepare-key' ? prepareKeyLines() : gateHashLines(words.slice(0, 4), words[4])).join('\n');
  });
}
