import { schema } from '@streaming-yao/core';

export const ROLES = ['router', 'deriver-a', 'deriver-b', 'signing-worker'] as const;
export type Role = (typeof ROLES)[number];
export const role = schema.oneOf(...ROLES);
export type DeriverRole = 'deriver-a' | 'deriver-b';
