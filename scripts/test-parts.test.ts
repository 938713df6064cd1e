import { readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

it('npm test runs every project of vitest', () => {
  const projects = [...read('../vitest.config.ts').matchAll(/name: '(\w+)'/g)].map(
    ([, name]) => name,
  );
  const calls = [...read('test.mjs').matchAll(/vitest\(world, '\w+', \[([^\]]+)\]\)/g)];
  const run = calls.flatMap(([, names]) =>
    [...names!.matchAll(/'(\w+)'/g)].map(([, name]) => name),
  );
  expect(projects.length).toBeGreaterThan(4);
  expect(run.sort()).toEqual(projects.sort());
});
