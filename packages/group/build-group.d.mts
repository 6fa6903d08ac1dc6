/** Compiles assembly/ to the bytes of group.wasm. */
export function compileGroup(): Promise<Uint8Array>;
