import { fileURLToPath } from 'node:url';

import { bundleApp } from '../../scripts/lib/bundle.mjs';

await bundleApp(fileURLToPath(new URL('.', import.meta.url)));
