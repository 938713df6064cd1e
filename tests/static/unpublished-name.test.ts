import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/*
 * The program is called `ceiba`, its package `@ceiba/cli`. A package called `ceiba` would be someone
 * else's: a command that lets a package manager look for it would run their code.
 */

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A command of a package manager that downloads what it is asked for, up to the name. */
const FETCHES =
  /\b(?:npx|bunx|(?:npm|pnpm|yarn|bun) (?:exec|x|dlx|i|install|add|create|init))(?=\s)[^\n|&;`]*?\sceiba(?=[\s`'"@]|$)/g;

/** The commands of a text that could download a package called `ceiba`. */
const fetching = (text: string): string[] =>
  [...text.matchAll(FETCHES)]
    .map(([command]) => command)
    .filter((it) => !/ --no(-install)? /.test(it));

it.each([
  'npx ceiba migrate',
  '`npx -y ceiba`',
  'npx --yes ceiba@latest apply -f ceiba.yaml',
  'npm exec -- ceiba doctor',
  'npm install --global ceiba',
  'pnpm dlx ceiba doctor',
  'bunx ceiba doctor',
])('finds that this could run a stranger’s package: %s', (line) => {
  expect(fetching(line)).toHaveLength(1);
});

it.each([
  'npx --no-install ceiba migrate',
  'docker compose run migrate npx --no-install ceiba apply -f - < ceiba.yaml',
  'npm install @ceiba/sdk',
  'cd ceiba && npm start',
])('accepts: %s', (line) => {
  expect(fetching(line)).toEqual([]);
});

it('no file of the repository has a command that could download a package called ceiba', () => {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\0')
    .filter((path) => /\.(?:md|ya?ml|tsx?|m?js|json|sh)$|^Dockerfile/.test(path))
    .filter((path) => !path.startsWith('tests/static/unpublished-name'));
  const found = files.flatMap((path) =>
    fetching(readFileSync(`${root}${path}`, 'utf8')).map((command) => `${path}: ${command}`),
  );
  expect(found).toEqual([]);
  expect(files.length).toBeGreaterThan(700);
});

/** Delete this test with the first release. */
it('where a package of ours is installed by name, the line says that no release is on npm yet', () => {
  const lines = execFileSync(
    'git',
    ['grep', '-hE', '(npm|npx|pnpm|yarn) .*@ceiba/(sdk|cli)', '--', '*.md'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  )
    .split('\n')
    .filter(
      (line) => !/--(workspace|project)|first release|^- .*changeset/.test(line) && line !== '',
    );
  expect(lines).toEqual([]);
});
