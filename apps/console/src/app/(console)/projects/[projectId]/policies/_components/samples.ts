import type { Policy } from '@ceiba/domain';

/**
 * Example calls around a pattern: its base, paths below it, similar paths, and ambiguous paths that
 * only `*` matches. It does not decide which of them match.
 */
export function samplesOf({ method, pathPattern }: Policy): { method: string; path: string }[] {
  const named = method === '*' ? 'GET' : method;
  const isPrefix = pathPattern.endsWith('*');
  const base = (isPrefix ? pathPattern.slice(0, -1) : pathPattern).replace(/\/$/, '');
  const paths =
    base === ''
      ? ['/', ...(isPrefix ? ['/v1/reports/42', '/v1//reports', '/v1/../admin'] : ['/v1'])]
      : [
          base,
          `${base}/`,
          `${base}?page=2`,
          `${base}/42`,
          ...(isPrefix ? [`${base}/42/pages`] : []),
          `${base}X`,
          parentOf(base),
          otherCaseOf(base),
          `${base}/../admin`,
        ];
  const calls = [...new Set(paths)].map((path) => ({ method: named, path }));
  // A common mistake: GET does not include HEAD.
  if (named === 'GET' && method !== '*') calls.push({ method: 'HEAD', path: base || '/' });
  else if (method !== '*') calls.push({ method: 'GET', path: base || '/' });
  return calls;
}

const parentOf = (path: string) => path.slice(0, path.lastIndexOf('/')) || '/';

function otherCaseOf(path: string): string {
  const upper = path.toUpperCase();
  return upper === path ? path.toLowerCase() : upper;
}
