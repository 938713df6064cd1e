import type { IncomingMessage } from 'node:http';
import { UUID } from '@ceiba/contract/sets';
import type { DecisionTrace } from './decision-trace.ts';
import type { Traces } from './traces.ts';

/** RFC 9110, section 9, and RFC 5789: OpenTelemetry names every other method `_OTHER`. */
const METHODS = new Set('GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH'.split(' '));

/**
 * Begins the trace of a call, as a part of the trace that its `traceparent` names.
 *
 * @param route the template of its address
 * @returns null where it is not sampled
 */
export function traceHttp(
  traces: Traces,
  route: string,
  { method = '', headers }: IncomingMessage,
  projectId: string,
): DecisionTrace | null {
  const isKnown = METHODS.has(method);
  const trace = traces.begin(`${isKnown ? method : 'HTTP'} ${route}`, headers.traceparent);
  trace?.describe({
    'http.request.method': isKnown ? method : '_OTHER',
    'http.route': route,
    'url.scheme': 'http',
    ...projectIn(projectId),
  });
  return trace;
}

/** The project that a call names, where that is a UUID. */
export function projectIn(named: string): { 'ceiba.project.id'?: string } {
  const projectId = named.toLowerCase();
  return UUID.test(projectId) ? { 'ceiba.project.id': projectId } : {};
}
