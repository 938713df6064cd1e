import { compilePolicies, type Policy } from '@ceiba/domain';
import { EXAMPLE_HOST_PORT, EXAMPLE_ROUTE } from './host-snippets.ts';

export interface ExampleCall {
  method: string;
  path: string;
}

/** A call with a key as a shell command, quoted: a path may contain `;`, `&` or an apostrophe. */
export const curlExample = (apiKey: string, { method, path }: ExampleCall) =>
  `curl ${method === 'GET' ? '' : `-X ${quoted(method)} `}-H ${quoted(`x-api-key: ${apiKey}`)} \\\n  ${quoted(`http://localhost:${EXAMPLE_HOST_PORT}${path}`)}\n`;

const quoted = (text: string) =>
  /^[A-Z]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

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
