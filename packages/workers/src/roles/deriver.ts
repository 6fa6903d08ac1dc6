import type { DeriverSurroundings } from '@streaming-yao/ceremony/role';
import { createKernel } from '@streaming-yao/engine';
import kernelModule from '@streaming-yao/engine/kernel.wasm';
import type { Host } from '../role.ts';
import { group } from './group.ts';

const engine = createKernel(kernelModule);

/** What the programs of both Derivers are given. */
export function deriverSurroundings(host: Host): DeriverSurroundings {
  const { pins, settings, passkeys, operator, background, now, random, hashing, shard, memory, config } = host;
  const derivationRoot = host.derivationRoot();
  return {
    pins,
    settings,
    passkeys,
    operator,
    background,
    now,
    random,
    hashing,
    shard,
    memory,
    engine,
    group,
    derivationRoot,
    hpkeKeys: config.hpkeKeys,
    sealer: host.sealer(),
  };
}
