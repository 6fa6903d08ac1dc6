import { generateKeyPairSync } from 'node:crypto';
import { readSettings, utf8 } from '@streaming-yao/core';
import { ROLES } from '@streaming-yao/wire';
import { readConfig } from '@streaming-yao/workers/config';
import { generateKeys, pinsText } from '../../tools/keys.ts';
import { typed } from '../finding.ts';
import type { Target } from '../target.ts';
import { jsonMutator, parsed } from './messages.ts';

const keys = generateKeys({ deployment: 'fuzz', profile: 'one-account' });
const PINS = pinsText(keys.pins);
const jwk = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
const ENVIRONMENT = {
  SHARD_COUNT: '4',
  OPERATOR: keys.operator?.publicKey,
  PASSKEYS: { rpId: 'wallet.example', origins: ['https://wallet.example'] },
  SETTINGS: { ceremonyDeadlineMs: 20_000, pairingTickets: 9 },
  ADMISSION: {
    accept: { register: ['passkey', 'app-token'] },
    apps: [{ issuer: 'https://app.example', audience: 'yao', jwks: { keys: [jwk] } }],
    clockToleranceMs: 1000,
    limits: { register: { address: { count: 1, windowMs: 1000 } }, sign: { identity: { count: 5, windowMs: 10 } } },
    origins: ['https://app.example'],
  },
};

/** Text bindings hold JSON as text; here they may hold it as JSON, so that a change reaches inside. */
const asText = (value: unknown): unknown => (typeof value === 'object' ? JSON.stringify(value) : value);

export const configTarget: Target = {
  maxBytes: 16 * 1024,
  batch: 256,
  allocatedBytes: 4 * 1024 * 1024,
  name: 'config',
  about: 'what a role is started with, and settings',
  seeds: () => [ENVIRONMENT, { PINS: JSON.parse(PINS) as unknown }].map((given) => utf8(JSON.stringify(given))),
  mutate: jsonMutator(0),
  run: (input) => {
    const read = parsed(input);
    if (!read) return;
    typed(() => readSettings(read.json));
    if (typeof read.json !== 'object' || read.json === null) return;
    const given = Object.fromEntries(Object.entries(read.json).map(([name, value]) => [name, asText(value)]));
    for (const role of ROLES) typed(() => readConfig(role, { ...keys.secrets[role], PINS, ...given }));
  },
};
