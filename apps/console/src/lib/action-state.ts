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
  /** How to fix each field, by its name. */
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

/** Text fields by name. Names that start with `$` are the framework's; files are not taken. */
export function fieldsOf(form: FormData): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [name, value] of form) {
    if (typeof value === 'string' && value !== '' && !name.startsWith('$')) fields[name] = value;
  }
  return fields;
}

/** What goes back into the form. A password is never sent back, whatever its field is called. */
export function typedValues(form: FormData): Record<string, string> {
  const fields = Object.entries(fieldsOf(form));
  return Object.fromEntries(fields.filter(([name]) => !/password|secret|apiKey$/i.test(name)));
}

/**
 * An action that hands over what is shown once, called when what shows it is there: a secret that
 * could not be shown is not made.
 *
 * @param load Fetches what shows it.
 * @param notLoaded What the form says where that fails.
 */
export function shownWith<Data>(
  load: () => Promise<unknown>,
  action: FormAction<Data>,
  notLoaded: string,
): FormAction<Data> {
  return async (state, form) => {
    try {
      await load();
    } catch {
      return unanswered(notLoaded, form);
    }
    return action(state, form);
  };
}
