import { fileURLToPath } from 'node:url';

import { bundleApp } from '@ceiba/build/bundle';

await bundleApp(fileURLToPath(new URL('.', import.meta.url)), {
  watch: process.argv.includes('--watch'),
});
