import { handlers } from '@streaming-yao/ceremony/router';
import { createRole } from '../role-entry.ts';

/** Lives as long as the Worker, whose objects and requests share it. */
const memory = new Map<string, unknown>();

const router = createRole({
  role: 'router',
  handlers,
  surroundings: ({ config, pins, settings, passkeys, operator, background, now, random, audit }) => ({
    ...{ pins, settings, passkeys, operator, background, now, random, audit },
    memory,
    admission: config.admission?.rules,
  }),
});

export const RoleObject = router.RoleObject;
export default router.worker;
