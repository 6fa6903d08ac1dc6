declare module 'cloudflare:workers' {
  export abstract class WorkerEntrypoint<Environment> {
    protected readonly env: Environment;
    protected readonly ctx: { waitUntil(promise: Promise<unknown>): void };
  }
}
