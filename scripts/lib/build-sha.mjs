import { capture } from './processes.mjs';
import { root } from './settings.mjs';

/**
 * The commit that is being built: `CEIBA_BUILD_SHA` where it is set, else what git says, else
 * `unknown` (a source archive has no git).
 *
 * @returns {string}
 */
export function buildSha() {
  const given = process.env.CEIBA_BUILD_SHA?.trim();
  if (given) return given;
  try {
    return capture('git', ['-C', root, 'rev-parse', 'HEAD']);
  } catch {
    return 'unknown';
  }
}
