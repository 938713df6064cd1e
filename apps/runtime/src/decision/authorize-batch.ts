import type { AuthorizeRequest, Decision } from '@ceiba/contract';
import type { PolicyMatcher } from '@ceiba/domain';
import type { Deadline } from '../deadline.ts';
import { UnavailableError } from '../unavailable.ts';
import {
  type Asker,
  type AuthorizeDependencies,
  judge,
  lookUp,
  matcherFor,
  settle,
} from './authorize.ts';
import { projectOfSecret } from './project-secret.ts';

export type BatchAnswer =
  | { kind: 'wrong_secret' }
  | { kind: 'answered'; answers: readonly ItemAnswer[] };

/** The answer to one request of a batch; null for one that is not valid. */
export type ItemAnswer = Decision | UnavailableError | null;

/**
 * How long before the deadline of the batch each request is answered, in ms, or half of the time that
 * is left. If both ended at once, one request that waits for an outage would take the decisions of all
 * others with it.
 */
const ANSWERED_BEFORE_MS = 20;

/**
 * Answers several questions of one project, in their order. The secret is judged before anything
 * is charged. Each request is then judged and charged by itself: one that is invalid, or that
 * cannot be decided, costs the others nothing.
 *
 * @param requests - At least one; null for one that is not valid.
 * @throws UnavailableError where no request could be looked up, so that the secret is not known
 */
export async function authorizeBatch(
  dependencies: AuthorizeDependencies,
  asker: Asker,
  requests: readonly (AuthorizeRequest | null)[],
  deadline: Deadline,
): Promise<BatchAnswer> {
  const { projectId, secretDigest } = asker;
  const rows = await outcomesOf(
    requests.map((request) => lookUp(dependencies, projectId, request, deadline)),
  );
  const read = rows.flatMap((row) => (row instanceof UnavailableError ? [] : row));
  if (read.length === 0 && rows[0] instanceof UnavailableError) throw rows[0];
  if (!read.every((row) => projectOfSecret(row.project, secretDigest))) {
    return { kind: 'wrong_secret' };
  }

  const loaded = await outcomesOf(
    requests.map((request, index) => {
      const row = rows[index];
      if (request === null) return null;
      if (row instanceof UnavailableError) return row;
      if (!row?.project) throw new Error('a request of the batch has no row');
      const { project } = row;
      const load = (matcher: PolicyMatcher | null) => {
        return { asker, row, project, matcher, request };
      };
      const matcher = matcherFor(dependencies, { projectId, row, project, deadline });
      return matcher instanceof Promise ? matcher.then(load) : load(matcher);
    }),
  );
  const leftMs = deadline.remainingMs();
  const itemDeadline = deadline.ofStep(leftMs - Math.min(ANSWERED_BEFORE_MS, leftMs / 2));
  // In the order of the requests: each charge begins before the next request is looked at.
  const answers = await outcomesOf(
    loaded.map((item) =>
      item === null || item instanceof UnavailableError
        ? item
        : settle(dependencies, judge(item), itemDeadline),
    ),
    itemDeadline,
  );
  return { kind: 'answered', answers };
}

/**
 * What each work came to, in order: its value or its outage. Any other error is a bug, and rejects.
 *
 * @param deadline - If given, work that is not done by then is an outage.
 */
async function outcomesOf<T>(
  works: readonly (T | UnavailableError | Promise<T>)[],
  deadline?: Deadline,
): Promise<(T | UnavailableError)[]> {
  const outcomes = new Array<T | UnavailableError>(works.length);
  const all = new Promise<void>((resolve, reject) => {
    let open = works.length;
    const keep = (index: number, outcome: T | UnavailableError) => {
      outcomes[index] = outcome;
      open -= 1;
      if (open === 0) resolve();
    };
    for (const [index, work] of works.entries()) {
      if (!(work instanceof Promise)) keep(index, work);
      else {
        work.then(
          (value) => keep(index, value),
          (error) => (error instanceof UnavailableError ? keep(index, error) : reject(error)),
        );
      }
    }
  });
  try {
    await (deadline?.race('overload', all) ?? all);
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    return Array.from(outcomes, (outcome, index) => (index in outcomes ? outcome : error));
  }
  return outcomes;
}
