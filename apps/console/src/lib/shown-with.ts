import { type FormAction, unanswered } from './action-state.ts';

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
