import { ROLES } from '@streaming-yao/wire';
import { bundleWorker, clientBytes, gzipBytes, roleEntry } from './bundle.ts';

/** Bundles every role's Worker as it would be uploaded, and says how large it is. */
for (const role of ROLES) {
  const bundle = await bundleWorker(roleEntry(role), { minify: true });
  const kib = (gzipBytes(bundle) / 1024).toFixed(1);
  console.log(`${role.padEnd(15)} ${kib.padStart(6)} KiB gzip, ${bundle.inputs.length} source files`);
}

/** What the design allows an app's page to load. */
const CLIENT_KIB = 90;
const clientKib = (await clientBytes()) / 1024;
console.log(`${'client'.padEnd(15)} ${clientKib.toFixed(1).padStart(6)} KiB gzip for a browser, group.wasm included`);
if (clientKib > CLIENT_KIB) {
  console.error(`the client library is larger than ${CLIENT_KIB} KiB`);
  process.exitCode = 1;
}
