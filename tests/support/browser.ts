import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

import { LauncherError, messageOf } from '@ceiba/devstack/errors';
import { root } from '@ceiba/devstack/settings';

interface Browser {
  executablePath: string;
  /** Environment variables that it needs in addition. */
  env: Record<string, string>;
}

const execute = promisify(execFile);

/** The shell first: it has no windows of its own to draw, and takes a third of the CPU time. */
const systemPrograms = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];
const systemApplications = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/**
 * Finds the Chromium for the tests: `CHROMIUM_PATH`, else the system's, else that of
 * `@sparticuz/chromium` on Linux, else Playwright's.
 *
 * @throws {LauncherError} When there is none: a missing browser fails the tests instead of skipping them.
 */
export async function findBrowser(): Promise<Browser> {
  const named = process.env.CHROMIUM_PATH;
  if (named) {
    if (isExecutable(named)) return { executablePath: named, env: {} };
    throw new LauncherError(`CHROMIUM_PATH names ${named}, which cannot be run.`);
  }
  const system = systemBrowser();
  if (system !== undefined) return { executablePath: system, env: {} };
  const packaged = await packagedBrowser();
  if (typeof packaged !== 'string') return packaged;
  const { chromium } = await import('playwright');
  const own = chromium.executablePath();
  if (isExecutable(own)) return { executablePath: own, env: {} };
  throw new LauncherError('The browser tests found no Chromium.', {
    output: packaged,
    hint: 'Install one (apt-get install chromium-headless-shell, or npx playwright install chromium), or set CHROMIUM_PATH.',
  });
}

function systemBrowser(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  const onPath = systemPrograms.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...onPath, ...systemApplications].find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the Chromium of the `@sparticuz/chromium` package, unpacked once for this installation. It
 * uses the libraries of the package where the system lacks them.
 *
 * @returns The reason, where it cannot be used.
 */
async function packagedBrowser(): Promise<Browser | string> {
  if (process.platform !== 'linux') return '@sparticuz/chromium is for Linux only';
  const folder = join(root, 'node_modules/.cache/ceiba-chromium');
  try {
    if (!existsSync(folder)) await unpack(folder);
    const executablePath = join(folder, 'chromium');
    const fonts = existsSync('/etc/fonts') ? {} : { FONTCONFIG_PATH: join(folder, 'fonts') };
    const libraries = { LD_LIBRARY_PATH: join(folder, 'al2023/lib') };
    for (const env of [fonts, { ...fonts, ...libraries }]) {
      if (await runs(executablePath, env)) {
        return { executablePath, env };
      }
    }
    return '@sparticuz/chromium does not run on this system';
  } catch (error) {
    return messageOf(error);
  }
}

function runs(executablePath: string, env: Record<string, string>) {
  const options = { env: { ...process.env, ...env }, timeout: 30_000 };
  return execute(executablePath, ['--version'], options).then(
    () => true,
    () => false,
  );
}

/**
 * The package unpacks into the temporary folder and reuses any earlier files there, even partial ones
 * or those of another user. So it gets an empty folder, which is moved into place when complete.
 */
async function unpack(folder: string) {
  const draft = `${folder}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  const program = `
    const chromium = await import('@sparticuz/chromium');
    await chromium.default.executablePath();`;
  await execute(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: root,
    // It unpacks its libraries only where this variable suggests AWS Lambda.
    env: { ...process.env, TMPDIR: draft, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x' },
    timeout: 120_000,
  });
  if (existsSync(folder)) rmSync(draft, { recursive: true });
  else renameSync(draft, folder);
}
