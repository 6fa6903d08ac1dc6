import { parseArgs } from 'node:util';
import { PROFILES, ROLES, type Role } from '@streaming-yao/wire';
import { SECRETS_OF } from '@streaming-yao/workers/secret';
import {
  existingKeyFiles,
  generateKeys,
  generateOperator,
  generateRole,
  operatorFile,
  pinsFile,
  pinsOf,
  readPublicKeys,
  readSecrets,
  rotateHpke,
  secretFile,
  writeKeys,
  writeOperator,
  writePins,
  writeRoles,
  writeSecrets,
} from './keys.ts';

const HELP = `npm run keygen -- [--folder <folder>] [--deployment <name>] [--profile <profile>] [--force]
npm run keygen -- --role <role> [--role <role> …] [--folder <folder>] [--force]
npm run keygen -- --rotate-hpke [--role <role> …] [--folder <folder>]
npm run keygen -- --join <folder> [--join <folder> …] [--folder <folder>] [--deployment <name>] [--profile <profile>]

Makes all secrets of a deployment and the public pin file. Where the roles have several operators, each makes the secrets
of its own roles, gives the others the public files (<role>.public.json), and joins all four to the same pin file.

  --role        makes the secrets of this role only; one of ${ROLES.join(', ')}
  --rotate-hpke gives the roles that have a file of secrets here, or those named, a new HPKE key each. The newest so far
                still opens what is under way, older ones are gone; nothing else changes
  --join        makes the pin file of the public files that lie in these folders, and no secret
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
        role: { type: 'string', multiple: true, default: [] },
        'rotate-hpke': { type: 'boolean', default: false },
        join: { type: 'string', multiple: true, default: [] },
        force: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return refuse(`${(error as Error).message}\n\n${HELP}`);
  }
}

const { folder, deployment, profile: wanted, role: names, 'rotate-hpke': rotates, join, force, help } = readOptions();
if (help) {
  console.log(HELP);
  process.exit(0);
}
const profile = PROFILES.find((name) => name === wanted) ?? refuse(`--profile is one of ${PROFILES.join(', ')}`);
if (!/^[A-Za-z0-9._-]{1,64}$/.test(deployment)) refuse('--deployment is 1 to 64 letters, digits, ".", "_" or "-"');
const roles: readonly Role[] = names.map(
  (name) => ROLES.find((role) => role === name) ?? refuse(`--role is one of ${ROLES.join(', ')}`),
);
if (roles.length > 0 && join.length > 0)
  refuse('--role makes secrets and --join makes pins of public files: one after the other');

async function joinPins(): Promise<void> {
  const pins = await readPublicKeys(join)
    .then((keys) => pinsOf({ deployment, profile }, keys))
    .catch((error: Error) => refuse(error.message));
  await writePins(folder, pins);
  console.log(`Wrote ${pinsFile(folder)}; every operator and every client has the same, to the byte`);
}

async function rotate(): Promise<void> {
  const existing = await existingKeyFiles(folder);
  const own = ROLES.filter((role) => SECRETS_OF[role].includes('hpke-keys') && existing.includes(secretFile(folder, role)));
  const chosen = roles.length > 0 ? roles : own;
  if (chosen.length === 0) refuse(`${folder} has no secrets of a role with HPKE keys`);
  for (const role of chosen) await writeSecrets(folder, role, rotateHpke(role, await readSecrets(folder, role)));
  console.log(`Gave ${chosen.join(', ')} a new HPKE key; hand each role its secrets again`);
}

async function refuseToOverwrite(): Promise<void> {
  const existing = await existingKeyFiles(folder);
  if (existing.length === 0 || force) return;
  refuse(`${existing.join(', ')} exist already; with --force they are overwritten and the wallets they serve are lost`);
}

async function makeRoles(): Promise<void> {
  await writeRoles(folder, roles.map(generateRole));
  // Whoever runs the Router looks through wallets; the others are told its public key.
  if (roles.includes('router')) await writeOperator(folder, generateOperator());
  console.log(
    `Wrote the secrets of ${roles.join(', ')} to ${folder} (owner only), and <role>.public.json for the other operators`,
  );
}

async function makeAll(): Promise<void> {
  await writeKeys(folder, generateKeys({ deployment, profile }));
  console.log(`Wrote the secrets of 4 roles and of the operator to ${folder} (owner only), the public pins to ${pinsFile(folder)},
and the operator's public key, with which each role is started as OPERATOR, to ${operatorFile(folder)}.`);
}

if (join.length > 0) await joinPins();
else if (rotates) await rotate();
else {
  await refuseToOverwrite();
  await (roles.length > 0 ? makeRoles() : makeAll());
}
