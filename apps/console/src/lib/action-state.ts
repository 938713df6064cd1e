import { typedValues } from './typed-values.ts';

/** What a form knows of its action. Plain data: it crosses from server to browser. */
export type ActionState<Data = null> =
  | { kind: 'idle' }
  /** `at` tells two successes apart, so that each is announced once. */
  | { kind: 'done'; data: Data; at: number }
  | Refusal;

export interface Refusal {
  kind: 'refused';
  code: RefusalCode;
  /** What is wrong with the whole; absent when the fields say it all. */
  message?: string;
  /** How to mend each field, by its name. */
  fieldErrors: Record<string, string>;
  /** What was typed, so that nothing is lost; never a password. */
  values: Record<string, string>;
  at: number;
}

export type RefusalCode =
  /** The sender, not the content: origin, session, owner. */
  | 'foreign_origin'
  | 'signed_out'
  | 'forbidden'
  | 'not_found'
  /** The content, or the state of things. */
  | 'invalid'
  | 'conflict'
  | 'limit_reached'
  | 'rate_limited'
  /** A fault. The change may or may not have been made. */
  | 'unavailable'
  | 'internal';

/** What stands beside a field that has to be filled in and is not. */
export const FILL_THIS_IN = 'Fill this in.';

export const IDLE = { kind: 'idle' } as const satisfies ActionState;

/** Every server action has this shape, so that one form component and one test serve all of them. */
export type FormAction<Data = null> = (
  state: ActionState<Data>,
  form: FormData,
) => Promise<ActionState<Data>>;

/** The refusal of a browser that has no answer to show. */
export const unanswered = (message: string, form: FormData): Refusal => ({
  kind: 'refused',
  code: 'unavailable',
  message,
  fieldErrors: {},
  values: typedValues(form),
  at: Date.now(),
});
