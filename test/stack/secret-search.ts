/** A secret that must not lie about, by its name. */
export interface Needle {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface Hit {
  readonly where: string;
  readonly secret: string;
  readonly form: string;
}

interface Pattern {
  readonly secret: string;
  readonly form: string;
  readonly bytes: Buffer;
}

/** Every form in which a secret could be written down: both byte orders; raw, hex, base64 at any offset, a list of numbers. */
function patternsOf({ name, bytes }: Needle): readonly Pattern[] {
  return [['', Buffer.from(bytes)] as const, ['reversed ', Buffer.from(bytes).reverse()] as const].flatMap(([order, ordered]) => {
    const hex = ordered.toString('hex');
    const forms: readonly (readonly [string, string | Buffer])[] = [
      ['raw', ordered],
      ['hex', hex],
      ['HEX', hex.toUpperCase()],
      ['numbers', [...ordered].join(',')],
      ...[0, 1, 2].flatMap((offset) =>
        (['base64', 'base64url'] as const).map(
          (encoding) => [`${encoding} at ${offset}`, withinBase64(ordered, offset, encoding)] as const,
        ),
      ),
    ];
    return forms.map(([form, pattern]) => ({ secret: name, form: order + form, bytes: Buffer.from(pattern) }));
  });
}

/** The characters that depend on the secret alone when it stands `offset` bytes into a group of three. */
function withinBase64(bytes: Buffer, offset: number, encoding: 'base64' | 'base64url'): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString(encoding)
    .replaceAll('=', '');
  const first = offset === 0 ? 0 : offset + 1;
  const last = (offset + bytes.length) % 3 === 0 ? text.length : text.length - 1;
  return text.slice(first, last);
}

/** @returns a search for all of them in all their forms */
export function searchFor(needles: readonly Needle[]): (where: string, hay: Uint8Array) => readonly Hit[] {
  const patterns = needles.flatMap(patternsOf);
  return (where, hay) => {
    const buffer = Buffer.from(hay.buffer, hay.byteOffset, hay.length);
    return patterns.filter(({ bytes }) => buffer.includes(bytes)).map(({ secret, form }) => ({ where, secret, form }));
  };
}
