import { compilePolicies, type Policy } from '@ceiba/domain';
import type { ExampleCall } from './curl-example.ts';
import { EXAMPLE_ROUTE } from './host-snippets.ts';

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
