/**
 * Writes the unrolled field arithmetic that index.ts builds on, as AssemblyScript text.
 *
 * A field element mod p = 2^255 - 19 is ten signed limbs of 26 and 25 bits in turn (radix 2^25.5, Bernstein, "Curve25519",
 * 2006), since WebAssembly has no product wider than 64 bits. Two forms of it:
 *   scalar   ten i32, 40 bytes
 *   lanes    four elements side by side, ten i32x4, 160 bytes; a product of lanes is four products at once
 * Limbs are centred: those of a constant, of decoded bytes and of a product are within 2^25 (even) and 2^24 (odd) and a little.
 * Sums of four such may go in on the left of a product, sums of three on the right, where 19 times a limb has to fit 32 bits.
 */
const P = 2n ** 255n - 19n;
/** Of the curve's Montgomery form, RFC 7748 section 4.1. */
const MONTGOMERY_A = 486662n;
const COUNT = 10;
const bitsOf = (limb) => 26 - (limb & 1);
/** The chain that brings all limbs back into range: twice around for the parts that overlap. */
const CARRIES = [0, 4, 1, 5, 2, 6, 3, 7, 4, 8, 9, 0];

/** For each limb of a product: which limbs multiply into it, and by what small factor. */
function columns(square) {
  const terms = Array.from({ length: COUNT }, () => []);
  for (let i = 0; i < COUNT; i++) {
    for (let j = square ? i : 0; j < COUNT; j++) {
      // Two odd limbs carry half a bit each; what wraps past 2^255 comes back times 19.
      const left = (i & j & 1 ? 2 : 1) * (square && i !== j ? 2 : 1);
      terms[(i + j) % COUNT].push({ i, j, left, right: i + j >= COUNT ? 19 : 1 });
    }
  }
  return terms;
}

const named = (limb, factor) => (factor === 1 ? limb : `${limb}x${factor}`);

/** Each limb times each small factor that a column needs, once. */
function scaledLimbs(square, scale) {
  const right = square ? 'f' : 'g';
  const wanted = new Map();
  for (const { i, j, left, right: factor } of columns(square).flat()) {
    if (left !== 1) wanted.set(named(`f${i}`, left), scale(`f${i}`, left));
    if (factor !== 1) wanted.set(named(`${right}${j}`, factor), scale(`${right}${j}`, factor));
  }
  return [...wanted].map(([name, value]) => `  const ${name} = ${value};`);
}

function loads(square, load) {
  const names = square ? ['f'] : ['f', 'g'];
  return names.flatMap((name) => Array.from({ length: COUNT }, (_, i) => `  const ${name}${i} = ${load(name, i)};`));
}

const signature = (name, square) => `export function ${name}(out: usize, f: usize${square ? '' : ', g: usize'}): void {`;

function scalarProduct(name, square) {
  const right = square ? 'f' : 'g';
  const sums = columns(square).map((terms, k) => {
    const products = terms.map(({ i, j, left, right: factor }) => `${named(`f${i}`, left)} * ${named(right + j, factor)}`);
    return `  let h${k} = ${products.join(' + ')};`;
  });
  const carries = CARRIES.map((i) => {
    const [bits, next] = [bitsOf(i), (i + 1) % COUNT];
    return `  c = (h${i} + ${1 << (bits - 1)}) >> ${bits}; h${next} += ${next === 0 ? '19 * c' : 'c'}; h${i} -= c << ${bits};`;
  });
  return [
    signature(name, square),
    ...loads(square, (limb, i) => `<i64>load<i32>(${limb}, ${4 * i})`),
    ...scaledLimbs(square, (limb, factor) => `${factor} * ${limb}`),
    ...sums,
    '  let c: i64;',
    ...carries,
    ...Array.from({ length: COUNT }, (_, i) => `  store<i32>(out, <i32>h${i}, ${4 * i});`),
    '}',
  ];
}

/**
 * Added before carrying: a multiple of p that makes every column positive, so that carries are plain shifts, and half a limb's
 * range, taken off again at the end, which leaves the limbs centred.
 */
function bias(k) {
  const multiple = 2n ** 37n * (k === 0 ? 2n ** 26n - 19n : 2n ** BigInt(bitsOf(k)) - 1n);
  return multiple + (1n << BigInt(bitsOf(k) - 1));
}

function halfOfLanes(square, half) {
  const [h, right] = [half[0], square ? 'f' : 'g'];
  const sums = columns(square).map((terms, k) => {
    const products = terms.map(
      ({ i, j, left, right: factor }) => `i64x2.extmul_${half}_i32x4_s(${named(`f${i}`, left)}, ${named(right + j, factor)})`,
    );
    return `  let ${h}${k} = ${products.reduce((sum, product) => `i64x2.add(${sum}, ${product})`, `i64x2.splat(${bias(k)})`)};`;
  });
  const carries = CARRIES.flatMap((i) => {
    const [bits, next] = [bitsOf(i), (i + 1) % COUNT];
    const wrapped = next === 0 ? [`  c${h} = i64x2.add(i64x2.add(i64x2.shl(c${h}, 4), i64x2.shl(c${h}, 1)), c${h});`] : [];
    return [
      `  c${h} = i64x2.shr_u(${h}${i}, ${bits});`,
      ...wrapped,
      `  ${h}${next} = i64x2.add(${h}${next}, c${h});`,
      `  ${h}${i} = v128.and(${h}${i}, i64x2.splat(${(1 << bits) - 1}));`,
    ];
  });
  return [...sums, `  let c${h}: v128;`, ...carries];
}

function lanesProduct(name, square) {
  const stores = Array.from({ length: COUNT }, (_, k) => {
    const both = `v128.shuffle<i32>(l${k}, h${k}, 0, 2, 4, 6)`;
    return `  v128.store(out, i32x4.sub(${both}, i32x4.splat(${1 << (bitsOf(k) - 1)})), ${16 * k});`;
  });
  return [
    signature(name, square),
    ...loads(square, (limb, i) => `v128.load(${limb}, ${16 * i})`),
    ...scaledLimbs(square, (limb, factor) =>
      factor === 19 ? `i32x4.mul(${limb}, i32x4.splat(19))` : `i32x4.shl(${limb}, ${factor >> 1})`,
    ),
    ...halfOfLanes(square, 'low'),
    ...halfOfLanes(square, 'high'),
    ...stores,
    '}',
  ];
}

function power(base, exponent) {
  let result = 1n;
  for (let [square, rest] = [base, exponent]; rest > 0n; rest >>= 1n, square = (square * square) % P) {
    if (rest & 1n) result = (result * square) % P;
  }
  return result;
}

/** Centred limbs, as they come out of a product. */
function limbsOf(value) {
  let rest = value % P;
  const limbs = Array.from({ length: COUNT }, (_, i) => {
    const limb = BigInt.asIntN(bitsOf(i), rest);
    rest = (rest - limb) >> BigInt(bitsOf(i));
    return limb;
  });
  limbs[0] += 19n * rest;
  return limbs;
}

/** RFC 8032 section 5.1: d, a square root of -1, the base point (its y is 4/5, its x even). */
function constants() {
  const inverse = (value) => power(value, P - 2n);
  const d = ((P - 121665n) * inverse(121666n)) % P;
  const rootOfMinusOne = power(2n, (P - 1n) / 4n);
  const y = (4n * inverse(5n)) % P;
  const x = evenRoot(((y * y - 1n) * inverse(d * y * y + 1n)) % P, rootOfMinusOne);
  const data = (name, limbs) => `export const ${name} = memory.data<i32>([${limbs.join(', ')}], 16);`;
  const lanes = (...values) => limbsOf(0n).flatMap((_, i) => values.map((value) => limbsOf(value)[i]));
  return [
    data('D', limbsOf(d)),
    data('ROOT_OF_MINUS_ONE', limbsOf(rootOfMinusOne)),
    data('TWO', limbsOf(2n)),
    data('FOUR', limbsOf(4n)),
    data('MONTGOMERY_A', limbsOf(MONTGOMERY_A)),
    data('HALVING_ROOT', limbsOf(evenRoot((rootOfMinusOne * (MONTGOMERY_A ** 2n - 4n)) % P, rootOfMinusOne))),
    // RFC 9496 section 4.1.
    data('ONE_MINUS_D_SQUARED', limbsOf((P + 1n - ((d * d) % P)) % P)),
    data('D_MINUS_ONE_SQUARED', limbsOf(((d - 1n) * (d - 1n)) % P)),
    data('ROOT_AD_MINUS_ONE', limbsOf(oddRoot(P - d - 1n, rootOfMinusOne))),
    data('INVERSE_ROOT_A_MINUS_D', limbsOf(evenRoot(inverse(P - 1n - d), rootOfMinusOne))),
    data('IDENTITY', lanes(0n, 1n, 1n, 0n)),
    data('CACHED_IDENTITY', lanes(1n, 1n, 2n, 0n)),
    data('CACHING_FACTORS', lanes(1n, 1n, 2n, 2n * d)),
    data('BASE', lanes(x, y, 1n, x * y)),
  ];
}

/** The group order and Montgomery's constants for scalar.ts: nine limbs of 29 bits in eight bytes each. */
function scalarConstants() {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const data = (name, value) => {
    const limbs = Array.from({ length: 9 }, (_, i) => (value >> BigInt(29 * i)) & (2n ** 29n - 1n));
    return `export const ${name} = memory.data<u64>([${limbs.join(', ')}], 16);`;
  };
  let inverse = 1n;
  for (let i = 0; i < 5; i++) inverse = BigInt.asUintN(29, inverse * (2n - order * inverse));
  return [
    data('ORDER', order),
    data('R_MOD_ORDER', 2n ** 261n % order),
    data('R_SQUARED_MOD_ORDER', 2n ** 522n % order),
    `export const MINUS_L_INVERSE: u64 = ${BigInt.asUintN(29, -inverse)};`,
  ];
}

function evenRoot(square, rootOfMinusOne) {
  let root = power(square, (P + 3n) / 8n);
  if ((root * root - square) % P !== 0n) root = (root * rootOfMinusOne) % P;
  return root & 1n ? P - root : root;
}

const oddRoot = (square, rootOfMinusOne) => P - evenRoot(square, rootOfMinusOne);

export function fieldProducts() {
  return [
    ...constants(),
    ...scalarConstants(),
    ...scalarProduct('multiply', false),
    ...scalarProduct('square', true),
    ...lanesProduct('multiplyLanes', false),
    ...lanesProduct('squareLanes', true),
    '',
  ].join('\n');
}
