import { ask, authorizeBy, type Program } from '@streaming-yao/ceremony/program';
import type { ClientSurroundings } from '@streaming-yao/ceremony/role';
import { equalBytes } from '@streaming-yao/core';
import { Authority, AuthorityAnswer, ChangeAuthority, type Credential } from '@streaming-yao/wire';
import { lanesOf } from './lanes.ts';
import { credentialOf, type Wallet } from './wallet.ts';

/** Takes the device's other credential out of the wallet, or lets it in again. Nothing of it is kept on the device. */
export function* changeCredentials(s: ClientSurroundings, wallet: Wallet): Program<void> {
  const { authority: current } = yield* lanesOf(s, wallet);
  const other = wallet.device.credentials[1 - wallet.credential] as Credential;
  const others = current.credentials.filter(({ publicKey }) => !equalBytes(publicKey, other.publicKey));
  const credentials = others.length < current.credentials.length ? others : [...others, other];
  const authority = { ...current, version: current.version + 1, previous: Authority.digest(current), credentials };
  const proof = yield* authorizeBy({ credentialId: credentialOf(wallet), message: Authority.encode(authority) });
  AuthorityAnswer.fromJson(yield* ask('/v1/authority', ChangeAuthority.toJson({ update: { authority, proof }, roots: [] })));
}
