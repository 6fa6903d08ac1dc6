import { parseArgs } from 'node:util';
import { PROFILES } from '@streaming-yao/wire';
import { existingKeyFiles, generateKeys, operatorFile, pinsFile, writeKeys } from './keys.ts';

const HELP = `npm run keygen -- [--folder <folder>] [--deployment <name>] [--profile <profile>] [--force]

Makes all secrets of a deployment and the public pin file.

  --folder      where to write; default ./keys
  --deployment  name of the deployment, hashed into every key and statement; default "local"
  --profile     ${PROFILES.join(' | ')}; default ${PROFILES[0]}
  --force       overwrite: every wallet of the deployment is lost with its old secrets
  --help

Writes one file of secrets per role (<role>.secrets.json, readable by the owner only), each to be handed to that role
alone, and pins.json, with which every client and role is configured. Secrets are never printed.`;

const refuse = (why: string): never => {
  console.error(why);
  process.exit(2);
};

function readOptions() {
  try {
    return parseArgs({
      options: {
        folder: { type: 'string', default: 'keys' },
        deployment: { type: 'string', default: 'local' },
        profile: { type: 'string', default: PROFILES[0] },
        force: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return refuse(`${(error as Error).message}\n\n${HELP}`);
  }
}

const { folder, deployment, profile: wanted, force, help } = readOptions();
if (help) {
  console.log(HELP);
  process.exit(0);
}
const profile = PROFILES.find((name) => name === wanted) ?? refuse(`--profile is one of ${PROFILES.join(', ')}`);
if (!/^[A-Za-z0-9._-]{1,64}$/.test(deployment)) refuse('--deployment is 1 to 64 letters, digits, ".", "_" or "-"');
const existing = await existingKeyFiles(folder);
if (existing.length > 0 && !force) {
  refuse(`${existing.join(', ')} exist already; with --force they are overwritten and the wallets they serve are lost`);
}
await writeKeys(folder, generateKeys({ deployment, profile }));
console.log(`Wrote the secrets of 4 roles and of the operator to ${folder} (owner only), the public pins to ${pinsFile(folder)},
and the operator's public key, with which each role is started as OPERATOR, to ${operatorFile(folder)}.`);
