import { CIRCUIT_IDS } from '@streaming-yao/engine';
import { OPERATIONS } from '@streaming-yao/wire';
import { expect, test } from 'vitest';
import { circuitIdOf, circuitNameOf } from '../src/operation.ts';

test.each(OPERATIONS)('the circuit id of %s is the engine’s', (operation) => {
  expect(circuitIdOf(operation)).toEqual(CIRCUIT_IDS[circuitNameOf(operation)]);
});
