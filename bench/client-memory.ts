import { memoryStorage, Wallet } from '@streaming-yao/client';
import { connectRouterKeepAlive, loadGroup } from '@streaming-yao/client/node';
import { Pins } from '@streaming-yao/wire';
import { bytesInUse, watchPeak } from './alone.ts';
import { newCredential, newWalletId, random } from './stack.ts';

/** Run by itself, with the Router's address and the pins: what a client needs for one wallet, beyond what Node needs. */
const [routerUrl = '', pins = ''] = process.argv.slice(2);
const before = bytesInUse();
const peak = watchPeak();
const wallet = new Wallet({
  ...{ router: connectRouterKeepAlive(routerUrl), pins: Pins.fromJson(JSON.parse(pins)), walletId: newWalletId() },
  ...{ storage: memoryStorage(), credential: newCredential(), group: loadGroup(), secondDerivation: false },
});
await wallet.register();
await wallet.sign(random(64));
await wallet.refresh();
await wallet.exportKey({ format: 'seed-hex' });
const megabytes = { peak: peak(), kept: (bytesInUse() - before) / 2 ** 20 };
console.log(JSON.stringify(megabytes));
// The kept connection would hold the process.
process.exit(0);
