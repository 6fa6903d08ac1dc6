import { ROLES } from '@streaming-yao/wire';
import { bundleWorker, gzipBytes, roleEntry } from './bundle.ts';

/** Bundles every role's Worker as it would be uploaded, and says how large it is. */
for (const role of ROLES) {
  const bundle = await bundleWorker(roleEntry(role), { minify: true });
  const kib = (gzipBytes(bundle) / 1024).toFixed(1);
  console.log(`${role.padEnd(15)} ${kib.padStart(6)} KiB gzip, ${bundle.inputs.length} source files`);
}
