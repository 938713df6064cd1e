import type { IncomingMessage } from 'node:http';
import type { ErrorLog } from '../error-log.ts';
import type { AuthorizeCall } from './authorize-answers.ts';

/** A call of a hot route whose secret is proven, in the share of its project. */
export interface IncomingCall extends Omit<AuthorizeCall, 'body'> {
  incoming: IncomingMessage;
  errors: ErrorLog;
}
