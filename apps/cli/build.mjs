import { copyFileSync, cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { bundleApp } from '@ceiba/build/bundle';
import { root } from '@ceiba/build/sha';

const here = fileURLToPath(new URL('.', import.meta.url));

await bundleApp(here);
// The package has the migrations too, so that it can be installed anywhere. Only `npm run generate`
// reads the snapshots.
cpSync(join(root, 'drizzle'), join(here, 'dist/drizzle'), {
  recursive: true,
  filter: (path) => !path.endsWith('_snapshot.json'),
});
// npm packs it from the package's own folder.
copyFileSync(join(root, 'LICENSE'), join(here, 'LICENSE'));
