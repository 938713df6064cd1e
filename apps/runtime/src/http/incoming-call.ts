import type { IncomingMessage } from 'node:http';
import type { Asker } from '../authorize.ts';
import type { AuthorizeCall } from './authorize-answers.ts';
import type { ErrorLog } from './error-log.ts';

/** A call of a hot route that was admitted; neither its project nor its secret was checked. */
export interface IncomingCall extends Pick<AuthorizeCall, 'dependencies' | 'deadline' | 'countAs'> {
  incoming: IncomingMessage;
  projectId: string;
  asked: Pick<Asker, 'requestId' | 'askedAtMs'>;
  errors: ErrorLog;
  /** Counts a decision that was answered with an outage. */
  countFailure: (error: unknown) => void;
}
