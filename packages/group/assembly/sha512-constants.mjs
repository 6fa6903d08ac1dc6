/** FIPS 180-4 sections 4.2.3 and 5.3.5, from their definition: bits of roots of the first primes. */

function primes(count) {
  const found = [];
  for (let n = 2n; found.length < count; n++) if (found.every((prime) => n % prime !== 0n)) found.push(n);
  return found;
}

/** The largest integer whose power is at most `value`. */
function root(value, exponent) {
  let [low, high] = [0n, 1n << 140n];
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** exponent <= value) low = middle;
    else high = middle;
  }
  return low;
}

/** The first 64 bits after the point of a root. */
const fraction = (prime, exponent) => BigInt.asIntN(64, root(prime << (64n * exponent), exponent));

export function sha512Constants() {
  const data = (name, words) => `export const ${name} = memory.data<i64>([${words.join(', ')}], 16);`;
  return [
    data(
      'SHA512_CONSTANTS',
      primes(80).map((prime) => fraction(prime, 3n)),
    ),
    data(
      'SHA512_START',
      primes(8).map((prime) => fraction(prime, 2n)),
    ),
    '',
  ].join('\n');
}
