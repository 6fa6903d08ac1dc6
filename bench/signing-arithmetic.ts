import { generateKeyPairSync, sign } from 'node:crypto';
import { ed25519, ed25519_FROST as noble } from '@noble/curves/ed25519.js';
import { decodeWideScalar } from '@streaming-yao/group';
import { loadGroup } from '@streaming-yao/group/node';
import {
  acceptSignature,
  type ClientPart,
  CommitmentPool,
  clientSign,
  PresignPool,
  type WorkerCommitments,
} from '@streaming-yao/signing';
import type { Presign } from '@streaming-yao/wire';
import { elapsed, type Figure, print, summarize } from './figure.ts';

const ROUNDS = 200;
const WARM_UP = 50;
const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));

/** Times `run` on inputs that `prepare` makes outside the clock. */
function measure<T>(id: string, prepare: () => T, run: (input: T) => unknown): Figure {
  const times: number[] = [];
  for (let i = -WARM_UP; i < ROUNDS; i++) {
    const input = prepare();
    const ms = elapsed(() => run(input));
    if (i >= 0) times.push(ms * 1_000);
  }
  return summarize(id, 'us', times);
}

const group = loadGroup();
const { BASE } = ed25519.Point;
const message = random(200);

function groupFigures(): Figure[] {
  const scalar = () => group.randomScalar(random);
  const encoded = () => group.baseMultiply(scalar());
  const { secretKey, publicKey } = ed25519.keygen();
  const signature = ed25519.sign(message, secretKey);
  const bigint = () => decodeWideScalar(random(64));
  return [
    measure('base_multiply_us', scalar, (secret) => group.baseMultiply(secret)),
    measure('base_multiply_noble_us', bigint, (value) => BASE.multiply(value).toBytes()),
    measure(
      'multiply_us',
      () => ({ secret: scalar(), point: group.commit(scalar()) }),
      ({ secret, point }) => group.multiply(secret, point),
    ),
    measure(
      'multiply_noble_us',
      () => ({ value: bigint(), point: BASE.multiply(bigint()) }),
      ({ value, point }) => point.multiply(value).toBytes(),
    ),
    measure('decode_point_us', encoded, (bytes) => group.decodePoint(bytes)),
    measure('decode_point_noble_us', encoded, (bytes) => ed25519.Point.fromBytes(bytes).isTorsionFree()),
    measure(
      'verify_us',
      () => signature,
      (good) => group.verifyEd25519(publicKey, message, good),
    ),
    measure(
      'verify_noble_us',
      () => signature,
      (good) => ed25519.verify(good, message, publicKey),
    ),
  ];
}

function signingFigures(): Figure[] {
  const lane = { walletId: 'bench', keyIndex: 0, lane: 0, epoch: 1 };
  const [clientShare, workerShare] = [group.randomScalar(random), group.randomScalar(random)];
  const groupPublicKey = group.baseMultiply(group.addScalars(clientShare, workerShare));
  const pool = new PresignPool({
    group,
    lane,
    share: workerShare,
    groupPublicKey,
    clientCommitment: group.baseMultiply(clientShare),
    random,
  });
  const presign = () => pool.prepare(1, Date.now())[0] as Presign;
  const taken = (): WorkerCommitments => {
    const stock = new CommitmentPool(group, lane);
    stock.takeIn(presign(), Date.now());
    return stock.take(Date.now()) as WorkerCommitments;
  };
  const ofClient = (workerCommitments: WorkerCommitments): ClientPart =>
    clientSign({ group, share: clientShare, groupPublicKey, workerCommitments, message, random });
  const key = group.fix(group.decodePoint(groupPublicKey));
  const finish = (part: ClientPart) => pool.finish({ ...part, message }, Date.now());
  return [
    measure('presign_us', () => undefined, presign),
    measure(
      'refill_us',
      () => ({ stock: new CommitmentPool(group, lane), made: presign() }),
      ({ stock, made }) => stock.takeIn(made, Date.now()),
    ),
    measure('client_sign_us', taken, ofClient),
    measure('worker_finish_us', () => ofClient(taken()), finish),
    measure(
      'client_accept_us',
      () => finish(ofClient(taken())),
      (signature) => acceptSignature(group, key, message, signature),
    ),
  ];
}

function yardsticks(): Figure[] {
  const ids = [noble.Identifier.fromNumber(1), noble.Identifier.fromNumber(2)] as const;
  const { public: shared, secretShares } = noble.trustedDealer({ min: 2, max: 2 }, [...ids]);
  const [client, worker] = ids.map((id) => secretShares[id]) as [{ identifier: string; signingShare: Uint8Array }, never];
  const presigned = () => noble.commit(worker);
  const ofClient = (theirs: ReturnType<typeof presigned>) => {
    const own = noble.commit(client);
    const list = [own.commitments, theirs.commitments];
    return { list, share: noble.signShare(client, shared, own.nonces, list, message), theirs };
  };
  const finish = ({ list, share, theirs }: ReturnType<typeof ofClient>) => {
    const own = noble.signShare(worker, shared, theirs.nonces, list, message);
    return noble.aggregate(shared, list, message, { [ids[0]]: share, [ids[1]]: own });
  };
  const { privateKey } = generateKeyPairSync('ed25519');
  return [
    measure('client_sign_noble_us', presigned, ofClient),
    measure('worker_finish_noble_us', () => ofClient(presigned()), finish),
    measure(
      'plain_sign_node_us',
      () => message,
      (bytes) => sign(null, bytes, privateKey),
    ),
  ];
}

/** The arithmetic of joint signing, without transport: microseconds, median of 200. */
export default async function signingArithmetic(): Promise<readonly Figure[]> {
  return [...groupFigures(), ...signingFigures(), ...yardsticks()];
}

if (import.meta.main) print(await signingArithmetic());
