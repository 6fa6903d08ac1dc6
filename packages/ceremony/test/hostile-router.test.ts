import { ed25519, x25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { type ErrorCode, LIMITS, YaoError } from '@streaming-yao/core';
import { exportKey, HANDLERS, type RoleHandlers } from '@streaming-yao/simulator';
import {
  Authority,
  CeremonyAnswer,
  DeploymentFacts,
  type DeriverRole,
  HpkeKey,
  idOfCredential,
  OPERATIONS,
} from '@streaming-yao/wire';
import { describe, expect, test } from 'vitest';
import { signedReceiptOfAlone, type HostileScene, openHostileScene, relay, type Relayed, resigned } from './hostile-router.ts';

const DERIVERS: readonly DeriverRole[] = ['deriver-a', 'deriver-b'];
