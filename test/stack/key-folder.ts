import path from 'node:path';
import type { SecretBytes } from '@streaming-yao/core';
import type { Role } from '@streaming-yao/wire';
import { type Purpose, parseSecret, variableOf } from '@streaming-yao/workers/secret';
import { readKeys } from '../../tools/keys.ts';
import type { Stack } from '../../tools/stack.ts';

/** A role's secret, as only that role and whoever stole its files has it. */
export async function stolenSecret(stack: Stack, role: Role, purpose: Purpose): Promise<SecretBytes> {
  const { secrets } = await readKeys(path.join(stack.folder, 'keys'));
  return parseSecret(role, purpose, secrets[role][variableOf(purpose)]);
}
