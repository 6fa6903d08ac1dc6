import { handlers } from '@streaming-yao/ceremony/signing-worker';
import { createRole } from '../role-entry.ts';
import { group } from './group.ts';

const signingWorker = createRole({
  role: 'signing-worker',
  handlers,
  surroundings: (host) => {
    const { pins, settings, passkeys, operator, background, now, random, memory, config } = host;
    return {
      pins,
      settings,
      passkeys,
      operator,
      background,
      now,
      random,
      memory,
      group,
      hpkeKeys: config.hpkeKeys,
      policy: config.policy,
      sealer: host.sealer(),
    };
  },
});

export { VaultSlot } from '../vault.ts';
export const RoleObject = signingWorker.RoleObject;
export default signingWorker.worker;
