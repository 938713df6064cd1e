import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';

import { LauncherError } from '@ceiba/devstack/errors';
import { root } from '@ceiba/devstack/settings';
import type { Supervisor } from '@ceiba/devstack/supervisor';

import { openWorld, withBrowserStack } from './parts.ts';
import { runPlaywright, runVitest } from './run-tests.ts';
import { failed, sum, type Tally } from './tally.ts';

interface Chosen {
  files: string[];
  browserFiles: string[];
  /** A part of the titles of the tests to run; all of the files unless given. */
  title?: string;
}

/** They start no server and no built program. */
const NEEDS_NOTHING = /^(tests\/(static\/|docs\/[^/]+$)|(apps|packages|scripts|bench)\/)/;

/** Their programs are among those that take a minute to build. */
const NEEDS_CONSOLE = /^tests\/(e2e|deployment|launcher)\//;

/**
 * Finds tests by parts of their paths, else by a part of their titles.
 *
 * @param all The files of all tests.
 * @throws {LauncherError} When there is none.
 */
export function chooseTests(words: string[], all: string[] = testFiles()): Chosen {
  const named = all.filter((file) => words.some((word) => isNamed(file, word)));
  const title = words.join(' ');
  const files = named.length > 0 ? named : all.filter((file) => textOf(file).includes(title));
  if (files.length === 0) {
    throw new LauncherError(`No test has "${title}" in its path or its title.`, {
      hint: 'A test with placeholders in its title is found by the words between them.',
    });
  }
  return {
    files: files.filter((file) => !isOfBrowser(file)),
    browserFiles: files.filter(isOfBrowser),
    ...(named.length === 0 && { title }),
  };
}

/**
 * Runs them with what they need: nothing, or the databases and the build, or all programs.
 *
 * @param watch Whether to run them again after each change.
 */
export async function runChosen(
  supervisor: Supervisor,
  { files, browserFiles, title }: Chosen,
  watch: boolean,
): Promise<Tally> {
  if (watch && browserFiles.length > 0) {
    throw new LauncherError(`--watch is for tests without a browser, not ${browserFiles[0]}.`);
  }
  const all = [...files, ...browserFiles];
  const pattern = title?.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const run = { name: 'tests', args: [...files, ...(pattern ? ['-t', pattern] : [])], watch };
  if (all.every((file) => NEEDS_NOTHING.test(file))) {
    return thatRan(await runVitest(supervisor, { ...run, env: process.env }), title);
  }
  const without = all.some((file) => NEEDS_CONSOLE.test(file)) ? [] : ['@ceiba/console'];
  const world = await openWorld(supervisor, { without });
  const tallies = [];
  if (files.length > 0) tallies.push(await runVitest(supervisor, { ...run, env: world.env }));
  if (browserFiles.length > 0) {
    const projects = ['--project=e2e', '--project=e2e-alone'];
    const args = [...projects, ...browserFiles, ...(pattern ? ['--grep', pattern] : [])];
    const browser = { name: 'browser', args };
    tallies.push(
      await withBrowserStack(world, (env) => runPlaywright(supervisor, { ...browser, env })),
    );
  }
  return thatRan(sum(tallies), title);
}

/** @param title The words, which may stand in a file and in no title. */
function thatRan(tally: Tally, title?: string): Tally {
  const hasRun = tally.passed + tally.failures.length > 0;
  return hasRun || title === undefined ? tally : failed(`no test has "${title}" in its title`);
}

/** @param word A file or a folder that exists, else a part of a path. */
function isNamed(file: string, word: string) {
  const path = relative(root, resolve(word)).replaceAll(sep, '/');
  return existsSync(join(root, path)) ? `${file}/`.startsWith(`${path}/`) : file.includes(word);
}

/** @returns The files of all tests, from the root. */
function testFiles(): string[] {
  const sources = ['apps', 'packages'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((workspace) => `${folder}/${workspace}/src`),
  );
  return ['tests', 'scripts', 'bench/src', ...sources].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(test|spec)\.ts$/.test(file))
      .map((file) => `${folder}/${file.replaceAll(sep, '/')}`),
  );
}

function isOfBrowser(file: string) {
  return file.endsWith('.spec.ts');
}

function textOf(file: string) {
  return readFileSync(join(root, file), 'utf8');
}
