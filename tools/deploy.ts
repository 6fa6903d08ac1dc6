import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Pins, PROFILES, ROLES, type Role } from '@streaming-yao/wire';
import { repository } from './bundle.ts';
import { type BuiltRole, buildRole } from './deploy/build-role.ts';
import type { Deployment } from './deploy/configuration.ts';
import { exampleDescription, readDescription } from './deploy/description.ts';
import { STEPS, type Step, wrangler } from './deploy/wrangler.ts';
import { generateKeys, type RoleSecrets, readPublicSide, readSecrets, secretFile } from './keys.ts';

const HELP = `npm run deploy -- --dry-run [--profile <profile>]
npm run deploy -- --dry-run --keys <folder> --deployment <file> [--role <role> …]
npm run deploy -- --step <step> --keys <folder> --deployment <file> --role <role> [--to <version>]

Builds each role's Worker with its wrangler.json, checks its size (at most 200 KiB compressed) and that the role would start
with these variables and secrets, and lets wrangler, which is installed on demand, do the rest.

  --dry-run     wrangler checks and uploads nothing; without --keys and --deployment for an example with keys of its own
  --step        ${STEPS.join(' | ')}: one role at a time, with the token in CLOUDFLARE_API_TOKEN_<ROLE>,
                which no other role may share. migrations are the Router's; secrets hands over <role>.secrets.json
  --to          the version to go back to, for the step rollback
  --keys        folder that npm run keygen has written; only the secrets of the roles named are needed
  --deployment  what docs/operations.md describes as deployment.json
  --role        may be given several times with --dry-run; all roles otherwise
  --profile     of the example: ${PROFILES.join(' | ')}; both otherwise
  --folder      where the roles' folders go; default .streaming-yao/deploy
  --help

Nothing has ever been deployed with this: the dry run is what was tested.
`;

interface Prepared {
  readonly deployment: Deployment;
  readonly secretsOf: (role: Role) => Promise<RoleSecrets>;
}

/** @throws Error when one of the files is missing or does not fit */
async function prepared(keys: string, file: string): Promise<Prepared> {
  const { pins, operator } = await readPublicSide(keys);
  const description = readDescription(JSON.parse(await readFile(file, 'utf8')), pins.profile);
  return { deployment: { pins, description, ...(operator && { operator }) }, secretsOf: (role) => readSecrets(keys, role) };
}

function example(profile: Pins['profile']): Prepared {
  const { pins, secrets, operator } = generateKeys({ deployment: 'example', profile });
  const description = exampleDescription(profile);
  return {
    deployment: { pins, description, ...(operator && { operator: operator.publicKey }) },
    secretsOf: async (role) => secrets[role],
  };
}

async function build({ deployment, secretsOf }: Prepared, roles: readonly Role[], folder: string): Promise<readonly BuiltRole[]> {
  const built: BuiltRole[] = [];
  for (const role of roles) {
    built.push(await buildRole(role, deployment, await secretsOf(role), path.join(folder, deployment.pins.profile)));
  }
  return built;
}

async function dryRun(one: Prepared, roles: readonly Role[], folder: string): Promise<void> {
  for (const { role, configuration, bytes } of await build(one, roles, folder)) {
    const said = await wrangler('dry-run', role, configuration);
    const upload = /Total Upload: .*/.exec(said)?.[0] ?? 'wrangler told no size';
    console.log(`${one.deployment.pins.profile} ${role}: ${(bytes / 1024).toFixed(1)} KiB gzip, accepted by wrangler. ${upload}`);
  }
}

const roleOf = (name: string): Role => {
  const role = ROLES.find((known) => known === name);
  if (!role) throw new Error(`--role is one of ${ROLES.join(', ')}`);
  return role;
};

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      'dry-run': { type: 'boolean' },
      step: { type: 'string' },
      to: { type: 'string' },
      keys: { type: 'string' },
      deployment: { type: 'string' },
      role: { type: 'string', multiple: true },
      profile: { type: 'string' },
      folder: { type: 'string', default: path.join(repository, '.streaming-yao', 'deploy') },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  const { keys, deployment, folder } = values;
  if ((keys === undefined) !== (deployment === undefined)) throw new Error('--keys and --deployment go together');
  const given = keys !== undefined && deployment !== undefined ? await prepared(keys, deployment) : undefined;
  const roles = values.role?.map(roleOf) ?? ROLES;
  if (values['dry-run']) {
    const profiles = PROFILES.filter((name) => values.profile === undefined || name === values.profile);
    if (profiles.length === 0) throw new Error(`--profile is one of ${PROFILES.join(', ')}`);
    for (const one of given ? [given] : profiles.map(example)) await dryRun(one, roles, folder);
    return;
  }
  const step: Step | undefined = STEPS.find((name) => name === values.step);
  const [role] = roles;
  if (!step || !given || !role || roles.length > 1) throw new Error(`choose --dry-run, or one --step and one --role\n\n${HELP}`);
  const [built] = await build(given, [role], folder);
  const detail = step === 'secrets' ? secretFile(keys ?? '', role) : values.to;
  if (step === 'rollback' && !detail) throw new Error('--to names the version to go back to: see wrangler versions list');
  if (built) console.log(await wrangler(step, role, built.configuration, detail));
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
