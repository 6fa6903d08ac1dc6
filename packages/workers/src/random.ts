/** The most that `getRandomValues` gives at a time (Web Cryptography API, section 10.1.1). */
const LARGEST_REQUEST = 65_536;

/** Fresh bytes from the platform's cryptographic random source. */
export function random(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += LARGEST_REQUEST) crypto.getRandomValues(bytes.subarray(at, at + LARGEST_REQUEST));
  return bytes;
}
