// FIPS 180-4, sections 4.2.3 and 5.3.5: the first 64 bits of the fractional parts of roots of the first primes.

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate++) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  return primes;
}

/** Largest integer whose `degree`-th power is at most `value`, by Newton's method from above. */
function integerRoot(value: bigint, degree: bigint): bigint {
  let root = 1n << 70n;
  for (;;) {
    const next = ((degree - 1n) * root + value / root ** (degree - 1n)) / degree;
    if (next >= root) return root;
    root = next;
  }
}

const fraction = (prime: number, degree: bigint): bigint =>
  BigInt.asUintN(64, integerRoot(BigInt(prime) << (64n * degree), degree));

/** The 80 round constants of SHA-512. */
export const roundConstants = (): bigint[] => firstPrimes(80).map((prime) => fraction(prime, 3n));

/** The eight words of SHA-512's initial hash value. */
export const initialHash = (): bigint[] => firstPrimes(8).map((prime) => fraction(prime, 2n));
