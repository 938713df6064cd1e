import type { AuthorizeRequest, Decision } from '@ceiba/contract';
import { type Asker, type AuthorizeDependencies, judge, lookUp, settle } from './authorize.ts';
import type { Deadline } from './deadline.ts';
import { projectOfSecret } from './project-secret.ts';
import { UnavailableError } from './unavailable.ts';

export type BatchAnswer =
  | { kind: 'wrong_secret' }
  | { kind: 'answered'; answers: readonly ItemAnswer[] };

/** The answer to one request of a batch; null for one that is not valid. */
export type ItemAnswer = Decision | UnavailableError | null;

/**
 * How long before the deadline of the batch each request is answered, in ms. If both ended at once,
 * one request that waits for an outage would take the decisions of all others with it.
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
  { projectId, secretDigest }: Asker,
  requests: readonly (AuthorizeRequest | null)[],
  deadline: Deadline,
): Promise<BatchAnswer> {
  const rows = await Promise.all(
    requests.map((request) => orUnavailable(lookUp(dependencies, projectId, request, deadline))),
  );
  const read = rows.flatMap((row) => (row instanceof UnavailableError ? [] : [row]));
  if (read.length === 0 && rows[0] instanceof UnavailableError) throw rows[0];
  if (!read.every((row) => projectOfSecret(row.project, secretDigest))) {
    return { kind: 'wrong_secret' };
  }

  const judged = await Promise.all(
    requests.map((request, index) => {
      const row = rows[index];
      if (request === null) return null;
      if (row instanceof UnavailableError) return row;
      if (!row?.project) throw new Error('a request of the batch has no row');
      const loaded = { projectId, row, project: row.project, request };
      return orUnavailable(judge(dependencies, loaded));
    }),
  );
  const itemDeadline = deadline.ofStep(deadline.remainingMs() - ANSWERED_BEFORE_MS);
  // In the order of the requests: each charge begins before the next request is looked at.
  const answers = judged.map((item) =>
    item === null || item instanceof UnavailableError
      ? item
      : orUnavailable(itemDeadline.race('overload', settle(dependencies, item, itemDeadline))),
  );
  return { kind: 'answered', answers: await Promise.all(answers) };
}

/** An outage as a value; any other error is a bug and stays an exception. */
async function orUnavailable<T>(work: Promise<T>): Promise<T | UnavailableError> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof UnavailableError) return error;
    throw error;
  }
}
