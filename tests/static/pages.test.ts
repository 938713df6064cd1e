import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, it } from 'vitest';

import { PAGES } from '../e2e/pages.ts';

const app = fileURLToPath(new URL('../../apps/console/src/app', import.meta.url));

it('every page of the console is in the list for axe and the screenshots, and no other', () => {
  const built = readdirSync(app, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file === 'page.tsx' || file.endsWith('/page.tsx'))
    .map((file) => (file === 'page.tsx' ? '' : dirname(file)));
  const listed = new Set(Object.values(PAGES).flatMap(({ route }) => route ?? []));
  expect([...listed].sort()).toEqual(built.sort());
});
