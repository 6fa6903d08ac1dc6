import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ed25519 } from '@noble/curves/ed25519.js';
import type { RouterConnection } from '@streaming-yao/client';
import { type SecretBytes, toHex, YaoError } from '@streaming-yao/core';
import {
  AuditExportAnswer,
  AuditExportRequest,
  AuditExportStatement,
  DeleteRequest,
  DeleteStatement,
  Deletion,
  DeletionsAnswer,
  type ExportedEntry,
  Pins,
  pinnedKey,
  ROLES,
} from '@streaming-yao/wire';
import { parseSecret } from '@streaming-yao/workers/secret';
import { operatorSecretFile, pinsFile } from '../keys.ts';

/** A deployment as its operator reaches it. */
export interface Operator {
  readonly pins: Pins;
  /** Ed25519 seed. */
  readonly key: SecretBytes;
  readonly router: RouterConnection;
}

/** Reads the operator's key and the pins from a folder that `npm run keygen` or `npm start` has made. */
export async function readOperatorKey(folder: string): Promise<Pick<Operator, 'pins' | 'key'>> {
  const read = async (file: string): Promise<unknown> => JSON.parse(await readFile(file, 'utf8'));
  const pins = Pins.fromJson(await read(pinsFile(folder)));
  const secrets = (await read(operatorSecretFile(folder))) as Readonly<Record<string, unknown>>;
  return { pins, key: parseSecret('operator', 'signing-key', secrets.SIGNING_KEY) };
}

/** Where the stack of a folder runs now. @returns `undefined` where none does */
export async function routerOf(stackFolder: string): Promise<string | undefined> {
  const text = await readFile(path.join(stackFolder, 'stack.json'), 'utf8').catch(() => '{}');
  return (JSON.parse(text) as { router?: string }).router;
}

const signedBy = (key: SecretBytes, message: Uint8Array): Uint8Array => key.use((seed) => ed25519.sign(message, seed));

/** A wallet's audit trail, oldest first. */
export async function* auditTrail({ pins, key, router }: Operator, walletId: string): AsyncGenerator<ExportedEntry> {
  for (let after = 0; ; ) {
    const statement = { deployment: pins.deployment, walletId, after, issuedAtMs: Date.now() };
    const signature = signedBy(key, AuditExportStatement.encode(statement));
    const answer = await router('/v1/operator/audit', AuditExportRequest.toJson({ statement, signature }));
    const { entries } = AuditExportAnswer.fromJson(answer);
    yield* entries;
    const last = entries.at(-1);
    if (!last) return;
    after = last.id;
  }
}

/** One line of the exported trail. */
export function trailLine(walletId: string, { id, entry, receipt }: ExportedEntry): string {
  const { atMs, event, ceremonyId, outcome } = entry;
  const at = new Date(atMs).toISOString();
  return JSON.stringify({ id, at, walletId, event, outcome, ceremonyId, receipt: receipt && JSON.parse(receipt) });
}

/**
 * Has all roles delete a wallet, and checks what each of them signed about it.
 * @throws YaoError `receipt_invalid` when a role's statement is missing, forged, of another request, or admits that something is left
 */
export async function deleteWallet({ pins, key, router }: Operator, walletId: string): Promise<readonly Deletion[]> {
  const statement = {
    deployment: pins.deployment,
    walletId,
    issuedAtMs: Date.now(),
    nonce: Uint8Array.from(randomBytes(32)),
  };
  const signature = signedBy(key, DeleteStatement.encode(statement));
  const answer = DeletionsAnswer.fromJson(await router('/v1/operator/delete', DeleteRequest.toJson({ statement, signature })));
  return ROLES.map((role) => {
    const found = answer.deletions.find((deletion) => deletion.statement.role === role);
    const genuine = found && ed25519.verify(found.signature, Deletion.encode(found.statement), pinnedKey(pins, role));
    const fits =
      found?.statement.walletId === walletId &&
      found.statement.deployment === pins.deployment &&
      toHex(found.statement.nonce) === toHex(statement.nonce);
    if (!genuine || !fits)
      throw new YaoError('receipt_invalid', `${role} has not signed that it deleted the wallet`, { party: role });
    if (found.statement.left > 0) {
      throw new YaoError('receipt_invalid', `${role} still has ${found.statement.left} records of the wallet; delete it again`, {
        party: role,
      });
    }
    return found.statement;
  });
}
