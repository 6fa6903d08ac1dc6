import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { ROLES, type Role } from '@streaming-yao/wire';
import { installOnDemand } from '../install.ts';

const WRANGLER = { name: 'wrangler', version: '4.164.0' } as const;

export const STEPS = ['migrations', 'secrets', 'deploy', 'rollback'] as const;
export type Step = 'dry-run' | (typeof STEPS)[number];

/**
 * What wrangler is called with for one step of a role.
 * @param configuration the role's wrangler.json
 * @param detail the file of secrets, or the version to go back to
 */
export function commandOf(step: Step, configuration: string, detail = ''): readonly string[] {
  const from = ['--config', configuration];
  switch (step) {
    case 'dry-run':
      return ['deploy', '--dry-run', ...from];
    case 'migrations':
      return ['d1', 'migrations', 'apply', 'DB', '--remote', ...from];
    case 'secrets':
      return ['secret', 'bulk', detail, ...from];
    case 'deploy':
      return ['deploy', '--strict', ...from];
    case 'rollback':
      return ['rollback', detail, '--yes', ...from];
  }
}

const tokenName = (role: Role): string => `CLOUDFLARE_API_TOKEN_${role.toUpperCase().replaceAll('-', '_')}`;

/**
 * The environment of wrangler for one role: that role's token and nothing of Cloudflare's beside it.
 * @param needsToken whether the step talks to Cloudflare
 * @throws Error when the token is missing, or is another role's as well
 */
export function environmentOf(role: Role, environment: NodeJS.ProcessEnv, needsToken: boolean): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(([name]) => !/^(CLOUDFLARE|CF)_/.test(name));
  const plain = { ...Object.fromEntries(kept), WRANGLER_SEND_METRICS: 'false', CI: '1' };
  if (!needsToken) return plain;
  const token = environment[tokenName(role)];
  if (!token) throw new Error(`${tokenName(role)} is not set: each role is deployed with a token of its own`);
  const other = ROLES.find((each) => each !== role && environment[tokenName(each)] === token);
  if (other) throw new Error(`${tokenName(role)} and ${tokenName(other)} are one token: who had it could replace both roles`);
  return { ...plain, CLOUDFLARE_API_TOKEN: token };
}

/** Runs a step. @returns what wrangler said. @throws Error when it failed */
export async function wrangler(step: Step, role: Role, configuration: string, detail?: string): Promise<string> {
  const folder = await installOnDemand(WRANGLER.name, WRANGLER.version);
  const program = path.join(folder, 'node_modules', 'wrangler', 'bin', 'wrangler.js');
  const env = environmentOf(role, process.env, step !== 'dry-run');
  const command = commandOf(step, configuration, detail);
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...command], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${role}: wrangler ${command.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}
