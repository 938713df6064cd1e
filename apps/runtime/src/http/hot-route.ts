import type { IncomingMessage } from 'node:http';
import type { Asked, Call } from '../decision/call.ts';
import type { Room } from '../decision/serve.ts';
import type { ErrorLog } from '../error-log.ts';
import { traceHttp } from '../tracing/trace-http.ts';
import type { Traces } from '../tracing/traces.ts';
import { callerOf } from './caller.ts';
import { largeBodyOf } from './large-bodies.ts';
import type { Reply } from './replies.ts';

export interface HotRouteOptions extends Room {
  errors: ErrorLog;
  deadlineMs: number;
  /** Absent where no traces are exported. */
  traces?: Traces | undefined;
}

/** How a route translates a call and its answer. */
export interface HotRoute {
  /** The template of its address. */
  path: string;
  kind: Call['kind'];
  /** 0 where the body is not read. */
  bodyCapBytes: number;
  read(incoming: IncomingMessage): Asked | Promise<Asked>;
  answer(room: Room, call: Call, incoming: IncomingMessage): Promise<Reply>;
  /** The reply to an error, which it reports. */
  refuse(error: unknown, requestId: string, errors: ErrorLog): Reply;
}

/** Answers a call by its deadline; never rejects. */
export async function serveHttp(
  options: HotRouteOptions,
  route: HotRoute,
  incoming: IncomingMessage,
  projectId: string,
): Promise<Reply> {
  const { traces, errors, deadlineMs } = options;
  const askedAtMs = performance.now();
  const trace = traces ? traceHttp(traces, route.path, incoming, projectId) : null;
  // By name: V8 makes a slow object of what is spread from another one.
  const { secret, peer, userAgent, requestId, deadline } = callerOf(
    incoming,
    projectId,
    deadlineMs,
  );
  const call: Call = {
    projectId,
    secret,
    peer,
    userAgent,
    requestId,
    deadline,
    askedAtMs,
    kind: route.kind,
    bodyBytes: largeBodyOf(incoming, route),
    read: () => route.read(incoming),
    // A body that has not arrived completely is the caller's delay, not an outage.
    tooSlow: () => (route.bodyCapBytes > 0 && !incoming.complete ? 'caller' : 'overload'),
    trace,
  };
  let reply: Reply;
  try {
    reply = await route.answer(options, call, incoming);
  } catch (error) {
    reply = route.refuse(error, requestId, errors);
  }
  trace?.end(reply.status);
  return reply;
}
