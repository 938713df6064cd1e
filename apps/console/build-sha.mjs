import { execFileSync } from 'node:child_process';

/**
 * The commit that is being built: `CEIBA_BUILD_SHA`, else what git says, else `unknown`.
 *
 * @param {string} repositoryRoot
 * @returns {string}
 */
export function buildSha(repositoryRoot) {
  const named = process.env.CEIBA_BUILD_SHA?.trim();
  if (named) return named;
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: repositoryRoot,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'unknown';
  }
}
