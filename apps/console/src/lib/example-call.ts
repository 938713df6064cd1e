import { compilePolicies, type Policy } from '@ceiba/domain';
import type { ExampleCall } from './curl-example.ts';
import { EXAMPLE_ROUTE, type Framework } from './host-snippets.ts';

/**
 * A call that the policies allow: to the route of the host in the snippets, else one of the first policy
 * that has one.
 *
 * @param isOpen whether a policy is open to the caller
 * @returns null where no policy allows one
 */
export function exampleCall<P extends Policy>(
  policies: readonly P[],
  isOpen: (policy: P) => boolean = () => true,
): ExampleCall | null {
  const matcher = compilePolicies(policies);
  const ofPolicies = policies.map(({ method, pathPattern }) => ({
    method: method === '*' ? 'GET' : method,
    path: pathPattern.replace(/\*$/, '') || '/',
  }));
  const isAllowed = ({ method, path }: ExampleCall) => {
    const winner = matcher.match(method, path);
    return winner !== null && isOpen(winner);
  };
  return [EXAMPLE_ROUTE, ...ofPolicies].find(isAllowed) ?? null;
}

/**
 * The call to a host of a framework that the policies allow: to the route of its guide, else to the first
 * path that a policy opens to GET, which the host can serve in its place.
 *
 * @returns null where no policy allows a call to it
 */
export function hostCall(
  { path }: Pick<Framework, 'path'>,
  policies: readonly Policy[],
): ExampleCall | null {
  const own = { method: 'GET', path };
  if (compilePolicies(policies).match(own.method, path) !== null) return own;
  // Procedures have names, which are no paths.
  if (path !== EXAMPLE_ROUTE.path) return null;
  const open = policies.find(({ method }) => method === 'GET' || method === '*');
  return open === undefined ? null : { ...own, path: open.pathPattern.replace(/\*$/, '') || '/' };
}
