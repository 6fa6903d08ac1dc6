import fc from 'fast-check';
import { test } from 'vitest';
import { sharedStack } from '../shared-stack.ts';
import { BEGINNING, COMMANDS, everyMemberRecovers } from './commands.ts';
import { TOGETHER } from './together.ts';
import { Household, newModel } from './wallet-model.ts';

const shared = sharedStack();

test('whatever happens to a wallet, in any order and over a line that breaks, is what its model says', async () => {
  const life = fc.asyncProperty(
    BEGINNING,
    fc.commands([...COMMANDS, TOGETHER, TOGETHER], { maxCommands: 30, size: 'max' }),
    async (beginning, others) => {
      const model = newModel();
      const household = new Household(shared.stack);
      await beginning.run(model, household);
      await fc.asyncModelRun(() => ({ model, real: household }), others);
      await everyMemberRecovers(model, household);
    },
  );
  await fc.assert(life, { numRuns: 12 });
}, 300_000);
