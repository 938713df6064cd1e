/**
 * What an operation refuses, with the text that its user sees. A field of the operation is in
 * backticks, so that the command line can name its option instead.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  /** Of the answer over HTTP. */
  readonly status: RefusalStatus;
  /** What programs distinguish refusals by, more finely than by the status. */
  readonly code: RefusalCode;
  /** The field of the input, or of the file, that has to change. */
  readonly field: string | undefined;
  readonly details: RefusalDetails;

  constructor(message: string, { status, code, field, details = {} }: RefusalParts) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
    this.details = details;
  }
}

/** What else a program needs to go on. */
export interface RefusalDetails {
  /** What the file does not have, and a digest of it, with which `prune` confirms just that. */
  readonly removals?: readonly string[] | undefined;
  readonly removalsDigest?: string | undefined;
  /** The project that would be created. */
  readonly project?: string | undefined;
}

export const REFUSAL_CODES = [
  'invalid_input',
  'invalid_file',
  'conflict',
  'would_remove_policies',
  'secret_not_shown',
  'not_confirmed',
  'plan_limit_reached',
  'unauthorized',
  'forbidden',
  'failed',
] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];
export type RefusalStatus = 400 | 401 | 403 | 404 | 409;

interface RefusalParts {
  status: RefusalStatus;
  code: RefusalCode;
  field?: string | undefined;
  details?: RefusalDetails;
}

type Kind = Partial<Omit<RefusalParts, 'status'>>;

/** The input or the file has to change. */
export const badInput = (message: string, kind: Kind = {}) =>
  new Refusal(message, { code: 'invalid_input', ...kind, status: 400 });
/** What a field names is not there. */
export const missing = (message: string, field?: string) =>
  new Refusal(message, { code: 'invalid_input', field, status: 404 });
/** The state of what is to be changed does not permit it. */
export const conflict = (message: string, kind: Kind = {}) =>
  new Refusal(message, { code: 'invalid_input', ...kind, status: 409 });
/** It could not be done now: the input is fine. */
export const failure = (message: string) => new Refusal(message, { code: 'failed', status: 409 });
export const forbidden = (message: string, kind: Kind = {}) =>
  new Refusal(message, { code: 'forbidden', ...kind, status: 403 });
