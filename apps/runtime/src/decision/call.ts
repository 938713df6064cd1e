import type { AuthorizeRequest, Decision } from '@ceiba/contract';
import type { Deadline, TooSlow } from '../deadline.ts';
import type { TransportError } from '../errors.ts';
import type { DecisionTrace } from '../tracing/decision-trace.ts';
import type { UnavailableError } from '../unavailable.ts';

/** What a call says of who sends it; none of it was checked. */
export interface Caller {
  projectId: string;
  /** Empty where the call has none. */
  secret: string;
  /** The address that it came from. */
  peer: string;
  userAgent: string | undefined;
  requestId: string;
  deadline: Deadline;
}

/** A call that asks for decisions, whatever it came over. */
export interface Call extends Caller, Pick<Asker, 'askedAtMs'> {
  kind: 'one' | 'batch';
  /** How long the body may be; 0 where it is small enough not to count. */
  bodyBytes: number;
  /** Reads what it asks, once it is admitted. */
  read(): Asked | Promise<Asked>;
  /** What was too slow where the deadline passes. */
  tooSlow: TooSlow;
  /** Null where the call is not traced. */
  trace: DecisionTrace | null;
}

/**
 * The questions of a call, in order, with an error for each that is not valid; or the error of the
 * whole call. It is answered after the secret has been judged.
 */
export type Asked = readonly (Question | TransportError)[] | TransportError;

/** One per question, in order. A question that is not valid, or cannot be decided, fails alone. */
export type Answers = readonly (Decision | TransportError | UnavailableError)[];

/** What a host asks, or a gateway that may not have said clearly which request it is about. */
export interface Question extends AuthorizeRequest {
  /**
   * Why it is not known which request would be served, to complete "the gateway …". Then no policy
   * allows it, not even a bare `*`.
   */
  readonly problem?: string;
}

/** Who asks: a project, SHA-256 of the secret that came with the call, and which call it was. */
export interface Asker {
  projectId: string;
  secretDigest: Buffer;
  requestId: string;
  /** When the call arrived, in ms of a monotonic clock. */
  askedAtMs: number;
}
