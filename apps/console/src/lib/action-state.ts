import { plural } from './format.ts';

/** The state of a form's action. Plain data: it crosses from server to browser. */
export type ActionState<Data = null> =
  | { kind: 'idle' }
  /** `at` distinguishes two successes, so that each is announced once. */
  | { kind: 'done'; data: Data; at: number }
  | Refusal;

export interface Refusal {
  kind: 'refused';
  code: RefusalCode;
  /** What is wrong with the form as a whole; absent if only fields are wrong. */
  message?: string;
  /** How to fix each field, by its name. */
  fieldErrors: Record<string, string>;
  /** What was typed, so that nothing is lost; never a password. */
  values: Record<string, string>;
  at: number;
}

export type RefusalCode =
  /** The sender: origin, session, owner. */
  | 'foreign_origin'
  | 'signed_out'
  | 'forbidden'
  | 'not_found'
  /** The input, or the current state of the data. */
  | 'invalid'
  | 'conflict'
  | 'limit_reached'
  | 'rate_limited'
  /** An outage or a bug. The change may or may not have been made. */
  | 'unavailable'
  | 'internal';

/** The error of a required field that is empty. */
export const FILL_THIS_IN = 'Fill this in.';

export const IDLE = { kind: 'idle' } as const satisfies ActionState;

/** The shape of every server action, so that one form component and one test fit all of them. */
export type FormAction<Data = null> = (
  state: ActionState<Data>,
  form: FormData,
) => Promise<ActionState<Data>>;

/** A refusal, which keeps no values of the form unless the reason has them. */
export const refused = (code: RefusalCode, reason: Partial<Refusal>): Refusal => ({
  kind: 'refused',
  code,
  fieldErrors: {},
  values: {},
  at: Date.now(),
  ...reason,
});

/** The refusal that the browser makes itself if the server does not answer. */
export const unanswered = (message: string, form: FormData): Refusal =>
  refused('unavailable', { message, values: typedValues(form) });

/** Runs an action outside a form. Without an answer it is refused with `noAnswer`. */
export function ask<Data>(
  action: FormAction<Data>,
  fields: Readonly<Record<string, string>>,
  noAnswer = 'The console is not answering. Try again in a moment.',
): Promise<ActionState<Data>> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return action(IDLE, form).catch(() => unanswered(noAnswer, form));
}

/** Text fields by name, without files, empty fields and the framework's own (`$…`). */
export function fieldsOf(form: FormData): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [name, value] of form) {
    if (typeof value === 'string' && value !== '' && !name.startsWith('$')) fields[name] = value;
  }
  return fields;
}

/** What goes back into the form: everything but credentials. */
export function typedValues(form: FormData): Record<string, string> {
  const fields = Object.entries(fieldsOf(form));
  return Object.fromEntries(
    fields.filter(([name]) => !/password|secret|token|apiKey$|^code$/i.test(name)),
  );
}

/**
 * Loads the component that shows an action's secret before it runs the action, so that no secret is
 * created that could not be shown.
 *
 * @param load Loads that component.
 * @param so What did not happen if that fails: "no key was created".
 */
export function shownWith<Data>(
  load: () => Promise<unknown>,
  action: FormAction<Data>,
  so: string,
): FormAction<Data> {
  return async (state, form) => {
    try {
      await load();
    } catch {
      const text = `Part of this page failed to load, so ${so}. Reload the page and try again.`;
      return unanswered(text, form);
    }
    return action(state, form);
  };
}

/** The error when the attempts of a window are used up, such as those to sign in. */
export function tooManyAttempts(retryAfterSeconds: number): string {
  const minutes = Math.ceil(retryAfterSeconds / 60);
  const time = minutes <= 90 ? plural(minutes, 'minute') : plural(Math.ceil(minutes / 60), 'hour');
  return `Too many attempts. Try again in ${time}.`;
}
