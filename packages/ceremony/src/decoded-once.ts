/**
 * Reads a body that several functions of a handler look into: decoded for the first of them, the same value for the others.
 * @param decode whose value nobody changes
 */
export function decodedOnce<T>(decode: (body: unknown) => T): (body: unknown) => T {
  const decoded = new WeakMap<object, T>();
  return (body) => {
    if (typeof body !== 'object' || body === null) return decode(body);
    const value = decoded.get(body) ?? decode(body);
    decoded.set(body, value);
    return value;
  };
}
