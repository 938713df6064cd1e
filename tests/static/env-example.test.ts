import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The files that read settings: each app's and example's `env` file, the scripts, and the tests' browser. */
const readers = [
  ...['apps', 'examples'].flatMap((group) =>
    readdirSync(join(root, group)).flatMap((app) =>
      ['env.ts', 'env.mjs'].map((file) => join(root, group, app, 'src', file)),
    ),
  ),
  ...['scripts', 'packages/build/src', 'packages/devstack/src'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((file) => join(root, folder, file)),
  ),
  join(root, 'tests/support/browser.mjs'),
].filter((path) => /\.m?[jt]s$/.test(path) && !path.includes('.test.') && existsSync(path));

/** Set by Node, npm and the terminal, not by a user of Ceiba. */
const OTHERS = ['HOME', 'NODE_ENV', 'NO_COLOR', 'PATH'];

/** A field of a settings schema; a name passed to a reader; a direct read of the environment. */
const PATTERNS = [
  /^ +([A-Z][A-Z0-9_]+): (?!.*\?\?)\S*\(|^ +([A-Z][A-Z0-9_]+): provider/gm,
  /\(env, '([A-Z][A-Z0-9_]+)'/g,
  /\benv\.([A-Z][A-Z0-9_]+)/g,
];

const sources = readers.map((path) => readFileSync(path, 'utf8')).join('\n');
const example = readFileSync(join(root, '.env.example'), 'utf8');
const documented = [...example.matchAll(/^# ([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name!);

it('.env.example names every setting that the apps and the two commands read', () => {
  const read = PATTERNS.flatMap((pattern) => [...sources.matchAll(pattern)]).map(
    ([, name, other]) => name ?? other!,
  );
  const destructured = [...sources.matchAll(/\{ ([A-Z_,\s]+) \} = process\.env/g)].flatMap(
    ([, names]) => names!.split(/,\s*/),
  );
  const settings = new Set([...read, ...destructured].filter((name) => !OTHERS.includes(name)));
  expect(settings.size).toBeGreaterThan(20);
  expect([...settings].filter((name) => !documented.includes(name))).toEqual([]);
});

it('.env.example names no setting that nothing reads, and none twice', () => {
  const unread = documented.filter((name) => !new RegExp(`\\b${name}\\b`).test(sources));
  expect(unread).toEqual([]);
  expect(documented.filter((name, index) => documented.indexOf(name) !== index)).toEqual([]);
});

it('.env.example sets nothing by itself: a copy of it changes nothing', () => {
  expect(example.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([]);
});
