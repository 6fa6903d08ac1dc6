import type { Figure, Progress } from './figure.ts';

/** Loaded one by one: a part that is not asked for costs nothing. */
export const PARTS: Readonly<Record<string, (progress: Progress) => Promise<readonly Figure[]>>> = {
  engine: async (progress) => {
    progress('engine: circuit, garbling, oblivious transfer');
    const figures = [...(await (await import('./engine.ts')).default()), ...(await (await import('./engine-ot.ts')).default())];
    progress('engine: how time grows with the gates');
    figures.push(...(await import('./engine-scaling.ts')).default());
    progress('engine: memory, two processes');
    figures.push(...(await (await import('./engine-memory.ts')).default()));
    figures.push(...(await (await import('./engine-loopback.ts')).default()));
    progress('engine: timing of secrets');
    return [...figures, ...(await import('./engine-timing.ts')).default()];
  },
  lifecycle: async (progress) => (await import('./lifecycle.ts')).lifecycleFigures(progress),
  signing: async (progress) => [
    ...(await (await import('./signing.ts')).signingFigures(progress)),
    // Afterwards, since the oracles that it measures share the client's code.
    ...(await (await import('./signing-arithmetic.ts')).default()),
  ],
  hosted: async (progress) => (await import('./hosted/figures.ts')).hostedFigures(progress),
  transport: async (progress) => (await import('./transport.ts')).transportFigures(progress),
  size: async (progress) => (await import('./size.ts')).sizeFigures(progress),
  peers: async (progress) => (await import('./peers/peers.ts')).peersFigures(progress),
};
