import './polyfill.ts';
import { indexedDbStorage, loadGroup } from '@streaming-yao/client/browser';
import { Pins } from '@streaming-yao/wire';
import { App } from './app.ts';
import { DeviceWallet } from './device/device-wallet.ts';
import { browserPasskeys } from './device/passkeys.ts';
import { observedConnection } from './exchanges.ts';
import { Layout } from './layout.ts';
import { parseLinkCode } from './link-code.ts';
import { Tabs } from './tabs.ts';
import { askPhrase } from './views/dialog.ts';

/** The deployment's verification keys in JSON, set when the page is built: nothing that the Router serves later can replace them. */
declare const DEPLOYMENT_PINS: string;

async function start(): Promise<void> {
  const pins = Pins.fromJson(JSON.parse(DEPLOYMENT_PINS));
  const [group, storage] = await Promise.all([loadGroup('/group.wasm'), indexedDbStorage()]);
  const router = observedConnection({
    started: (path) => app.noteStep(path),
    ended: (exchange) => app.noteExchange(exchange),
  });
  const passkeys = browserPasskeys({ group, storage, pins, asks: () => app.noteStep('passkey') });
  const wallet = new DeviceWallet({ router, pins, group, storage, passkeys, askPhrase: () => askPhrase(layout.text) });
  const app = new App(wallet, new Tabs(() => void app.follow()));
  const layout = new Layout(app);
  layout.draw();
  await app.open();
  const takeLink = (): void => {
    const code = parseLinkCode(location.hash);
    // A code is for one use; a reload must not use it again.
    if (location.hash) history.replaceState(null, '', '/');
    if (code) app.take(code);
  };
  addEventListener('hashchange', takeLink);
  takeLink();
}

// Passkeys belong to a domain, which an address in digits is not.
if (location.hostname === '127.0.0.1') location.replace(location.href.replace('//127.0.0.1', '//localhost'));
else void start();
