import { unstable_isUnrecognizedActionError, unstable_rethrow } from 'next/navigation';
import { type FormAction, unanswered } from '../lib/action-state.ts';

/** An action that always answers: where the console does not, with a refusal that says so. */
export function answered<Data>(action: FormAction<Data>): FormAction<Data> {
  return async (state, form) => {
    try {
      return await action(state, form);
    } catch (error) {
      unstable_rethrow(error);
      return unanswered(unstable_isUnrecognizedActionError(error) ? UPGRADED : SILENT, form);
    }
  };
}

const SILENT =
  'The console is not answering. What you typed is kept; reload to see what was saved, or try again in a moment.';
const UPGRADED =
  'The console was upgraded since this page was loaded, so nothing was changed. Copy what you typed, then reload the page.';
