/**
 * Compiles assembly/ to the bytes of kernel.wasm.
 * @param replaced sources by file name that stand in for files of assembly/
 */
export function compileKernel(replaced?: Readonly<Record<string, string>>): Promise<Uint8Array>;
