export interface KernelBuild {
  readonly script: string;
  readonly output: string;
  readonly sources: readonly string[];
}
export declare const KERNELS: readonly KernelBuild[];
export declare function installationIsStale(root: string): boolean;
export declare function outdatedKernels(root: string, kernels?: readonly KernelBuild[]): KernelBuild[];
export declare function whileLocked<T>(lock: string, say: (text: string) => void, work: () => T | Promise<T>): Promise<T>;
