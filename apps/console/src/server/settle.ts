import 'server-only';
import { type RefusalCode, tooManyAttempts } from '../lib/action-state.ts';
import { refuse, refuseField } from './action.ts';

/** What a verb answers. */
interface Result {
  kind: string;
}

/** The results that are what was asked for. */
const DONE = [
  'added',
  'admitted',
  'confirmed',
  'created',
  'deleted',
  'ended',
  'enrolled',
  'joined',
  'mailed',
  'proven',
  'queued',
  'removed',
  'renamed',
  'replaced',
  'revoked',
  'rotated',
  'transferred',
  'unchanged',
  'updated',
] as const;
type Done = (typeof DONE)[number];

/** These are refused in the same words everywhere. */
type Common = 'limited' | 'outdated';

/** A sentence for the form, with a code that follows from the result's kind unless given, or for one field. */
export type Answer =
  | string
  | { text: string; code?: RefusalCode; keepsPage?: true }
  | { field: string; text: string };

/** The words of each result that is neither done nor refused in the same words everywhere. */
export type Answers<Of extends Result> = {
  [Kind in Exclude<Of['kind'], Done | Common>]: Answer | ((result: Of & { kind: Kind }) => Answer);
};

/** Of the kinds that do not mean a conflict. */
const CODES: Readonly<Record<string, RefusalCode>> = {
  closed: 'forbidden',
  expired: 'not_found',
  not_found: 'not_found',
  plan_limit_reached: 'limit_reached',
  too_many: 'limit_reached',
};

/**
 * Returns the result of a verb that did what was asked, and refuses the form for any other, in the words
 * of its kind. A kind without words does not compile.
 */
export function settle<Of extends Result>(result: Of, answers: Answers<Of>): Of & { kind: Done } {
  const { kind } = result;
  if (isDone(result)) return result;
  if ('retryAfterSeconds' in result) {
    refuse('rate_limited', tooManyAttempts(Number(result.retryAfterSeconds)));
  }
  const all = new Map<string, unknown>(Object.entries({ outdated: OUTDATED, ...answers }));
  const given = all.get(kind);
  const answer = (typeof given === 'function' ? given(result) : given) as Answer | undefined;
  if (answer === undefined) throw new Error(`no words for the result ${kind}`);
  if (typeof answer !== 'string' && 'field' in answer) refuseField(answer.field, answer.text);
  const { text, code, keepsPage } = typeof answer === 'string' ? { text: answer } : answer;
  refuse(code ?? CODES[kind] ?? 'conflict', text, { keepsPage });
}

/** As {@link settle}, for an action whose answer holds nothing. */
export function done<Of extends Result>(result: Of, answers: Answers<Of>): null {
  settle(result, answers);
  return null;
}

const isDone = <Of extends Result>(result: Of): result is Of & { kind: Done } =>
  (DONE as readonly string[]).includes(result.kind);

/** The project was deleted after the page was loaded. */
export const PROJECT_GONE: Answer = {
  text: 'The project was deleted in the meantime. Nothing was changed.',
  keepsPage: true,
};

export const PROJECT_NAME_TAKEN: Answer = {
  field: 'name',
  text: 'You already have a project with this name. Choose another name.',
};

/** The proof of the user is outdated. */
export const OUTDATED: Answer = {
  code: 'signed_out',
  text: 'Your password was changed in another window, or you were signed out there. Nothing was changed here.',
};
