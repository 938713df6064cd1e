import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * The commit that is being built: `CEIBA_BUILD_SHA` where it is set, else what git says, else
 * `unknown` (a source archive has no git).
 *
 * @returns {string}
 */
export function buildSha() {
  const given = process.env.CEIBA_BUILD_SHA?.trim();
  if (given) return given;
  // A source archive may lie inside another repository, whose commit is not this one's.
  if (!existsSync(join(root, '.git'))) return 'unknown';
  try {
    return execFileSync('git', ['-C', root, 'rev-parse', 'HEAD'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'unknown';
  }
}
