import type { Denial } from '@ceiba/schema';

/** These gates come before the policies, so any path reproduces the denial. */
const BEFORE_PATH: ReadonlySet<string> = new Set([
  'missing_api_key',
  'revoked_api_key',
  'archived_api_key',
  'expired_api_key',
]);

/** A link to the simulator with a denied call filled in. Paths are not recorded, so it guesses one. */
export function whyHref(
  projectId: string,
  denial: Pick<Denial, 'denialReason' | 'apiKeyId' | 'method' | 'pathPattern'>,
): string {
  const query = new URLSearchParams();
  if (denial.apiKeyId !== null) query.set('apiKeyId', denial.apiKeyId);
  if (denial.method !== null && denial.pathPattern !== null) {
    query.set('method', denial.method === '*' ? 'GET' : denial.method);
    query.set('path', pathWithin(denial.pathPattern));
  } else if (BEFORE_PATH.has(denial.denialReason)) {
    query.set('path', '/');
  }
  return `/projects/${projectId}/simulator${query.size === 0 ? '' : `?${query}`}`;
}

/** A path that the pattern matches: its base. */
function pathWithin(pathPattern: string): string {
  const base = pathPattern.replace(/\/?\*$/, '');
  return base === '' ? '/' : base;
}
