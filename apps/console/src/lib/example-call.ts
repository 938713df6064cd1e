import { compilePolicies, type Policy } from '@ceiba/domain';
import type { ExampleCall } from './curl-example.ts';
import { EXAMPLE_ROUTE, type Framework } from './host-snippets.ts';

/**
 * A call that the policies allow: to the route of the host in the snippets, else one of the first
 * policy. Without a policy, the call to that route.
 */
export function exampleCall(policies: readonly Policy[]): ExampleCall {
  const [first] = policies;
  const { method, path } = EXAMPLE_ROUTE;
  if (first === undefined || compilePolicies(policies).match(method, path) !== null) {
    return EXAMPLE_ROUTE;
  }
  return {
    method: first.method === '*' ? 'GET' : first.method,
    path: first.pathPattern.replace(/\*$/, '') || '/',
  };
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
