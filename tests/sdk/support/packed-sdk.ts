import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const npm = { shell: process.platform === 'win32' };

/** The package as npm would publish it. */
export interface PackedSdk {
  readonly tarball: string;
  readonly files: readonly { readonly path: string }[];
  /** Bytes of the tarball. */
  readonly size: number;
}

/** Packs the built package into `folder`. */
export async function packSdk(folder: string): Promise<PackedSdk> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = await run('npm', args, { ...npm, cwd: join(root, 'packages/sdk') });
  const report = JSON.parse(stdout);
  const { files, size } = Array.isArray(report) ? report[0] : report['@ceiba/sdk'];
  const name = readdirSync(folder).find((file) => file.endsWith('.tgz'));
  if (name === undefined) throw new Error('npm packed nothing');
  return { tarball: join(folder, name), files, size };
}

/**
 * Installs the tarball into a copy of a fixture, as a consumer would, without network access. A consumer
 * can reach only the tools and frameworks of the workspace that are linked for it.
 *
 * @param links packages of the workspace, by the name that the consumer knows them by
 */
export async function installSdk(
  tarball: string,
  fixture: string,
  target: string,
  links: Readonly<Record<string, string>> = {},
): Promise<string> {
  const source = fileURLToPath(new URL(`../fixtures/${fixture}`, import.meta.url));
  cpSync(source, target, { recursive: true });
  const args = ['install', '--offline', '--no-audit', '--no-fund', tarball];
  await run('npm', args, { ...npm, cwd: target });
  for (const [name, installed] of Object.entries(links)) {
    const link = join(target, 'node_modules', name);
    mkdirSync(join(link, '..'), { recursive: true });
    symlinkSync(join(root, 'node_modules', installed), link, 'junction');
  }
  return target;
}
