import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedStack } from './shared-stack.ts';
import { Control, nameOf, type Step } from './walk/control.ts';
import { heldStack } from './walk/held-stack.ts';
import { OPERATIONS, type Operation } from './walk/operations.ts';
import { share } from './walk/share.ts';
import { Walk } from './walk/walk.ts';

const control = await Control.open();
const shared = sharedStack(heldStack(control));
afterAll(() => control.close());

const TIMEOUT_MS = 240_000;
let walk: Walk;
beforeAll(async () => {
  walk = new Walk(shared.stack, control);
  // The Router remembers the roles' keys from then on.
  await walk.survey(OPERATIONS[0] as Operation);
});

/** Visits all of `steps`. @returns what went wrong, by step */
async function failures<S>(steps: readonly S[], name: (step: S) => string, visit: (step: S) => Promise<boolean>) {
  const failed: string[] = [];
  let reached = 0;
  for (const step of steps) {
    try {
      if (await visit(step)) reached++;
    } catch (error) {
      failed.push(`${name(step)}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { failed, reached };
}

test('an operation is made of steps of all roles, writes among them', async () => {
  const steps = await walk.survey(OPERATIONS.find(({ name }) => name === 'refresh') as Operation);
  const names = steps.map(nameOf);
  for (const name of [
    'router: asked /v1/ceremonies (0)',
    'deriver-a: frame tables (26)',
    'deriver-b: frame receipt (0)',
    'signing-worker: after vault PUT (0)',
    'signing-worker: before vault DELETE (0)',
  ]) {
    expect(names).toContain(name);
  }
});

describe.each(OPERATIONS)('$name, with its app ended before and after each request and write,', (operation) => {
  test('leaves one epoch that signs, and succeeds in the end', { timeout: TIMEOUT_MS }, async () => {
    const steps = await walk.surveyClient(operation);
    const { failed, reached } = await failures(
      steps,
      ({ kind, when }) => `${when} ${kind}`,
      (step) => walk.visitClient(operation, step),
    );
    expect(failed).toEqual([]);
    expect(reached).toBe(steps.length);
  });
});

describe.each(OPERATIONS)('$name, with a role killed before its step,', (operation) => {
  test('leaves one epoch that signs, nothing running, and succeeds in the end', { timeout: TIMEOUT_MS }, async () => {
    const steps: readonly Step[] = share(operation, await walk.survey(operation), 'kill');
    const { failed, reached } = await failures(steps, nameOf, (step) => walk.visit(operation, step, 'kill'));
    expect(failed).toEqual([]);
    expect(reached).toBeGreaterThan(0);
  });
});

test('a refresh with a role frozen for longer than a ceremony may take ends in time, too', { timeout: TIMEOUT_MS }, async () => {
  const refresh = OPERATIONS.find(({ name }) => name === 'refresh') as Operation;
  const steps = share(refresh, await walk.survey(refresh), 'freeze');
  const { failed, reached } = await failures(steps, nameOf, (step) => walk.visit(refresh, step, 'freeze'));
  expect(failed).toEqual([]);
  expect(reached).toBe(steps.length);
});
