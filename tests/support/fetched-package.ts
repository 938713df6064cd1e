import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const cache = fileURLToPath(new URL('../../node_modules/.cache/ceiba-packages', import.meta.url));

/** An error of npm without a registry and without a cached package. */
const OFFLINE = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|ETIMEDOUT|ENOTCACHED/;

/**
 * Installs a package that only tests need, and that is too large for every installation. It runs no
 * install script.
 *
 * @param options Whether npm leaves out the peers of the package: the test needs none of them.
 * @returns its folder of modules; null where npm cannot reach a registry.
 */
export async function fetchPackage(
  name: string,
  version: string,
  options: { withoutPeers?: boolean } = {},
): Promise<string | null> {
  const prefix = join(cache, `${name.replace('/', '-')}-${version}`);
  const modules = join(prefix, 'node_modules');
  if (existsSync(join(modules, name, 'package.json'))) return modules;
  mkdirSync(prefix, { recursive: true });
  const flags = ['--no-save', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  if (options.withoutPeers) flags.push('--legacy-peer-deps');
  const args = ['install', '--prefix', prefix, ...flags, `${name}@${version}`];
  const failed = await run('npm', args, { shell: process.platform === 'win32' }).catch(
    (error) => error,
  );
  if (OFFLINE.test(String(failed.stderr ?? ''))) return null;
  if (!existsSync(join(modules, name, 'package.json'))) throw failed;
  return modules;
}
