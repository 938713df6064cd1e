import type { IncomingMessage } from 'node:http';
import { PROJECT_SECRET_HEADER } from '@ceiba/contract/sets';
import { Deadline } from '../deadline.ts';
import type { Caller } from '../decision/call.ts';
import { requestIdOf } from '../request-id.ts';

/** What an HTTP request says of who sends it, and the time that its answer may take, in ms. */
export function callerOf(incoming: IncomingMessage, projectId: string, deadlineMs: number): Caller {
  const { headers, socket } = incoming;
  const secret = headers[PROJECT_SECRET_HEADER];
  return {
    projectId,
    secret: typeof secret === 'string' ? secret : '',
    peer: socket.remoteAddress ?? '',
    userAgent: headers['user-agent'],
    requestId: requestIdOf(incoming),
    deadline: new Deadline(deadlineMs),
  };
}
