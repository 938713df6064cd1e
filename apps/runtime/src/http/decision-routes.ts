import {
  type DecisionListResult,
  dateOf,
  decisionQuerySchema,
  type LoggedDecision,
} from '@ceiba/contract';
import { findDecision, listDecisions, toLoggedDecision } from '@ceiba/schema';
import { TransportError } from '../errors.ts';
import type { ProjectCall, ProjectRoute } from './project-routes.ts';

const DECISIONS = '/rt/projects/:projectId/decisions';

const LIST: ProjectRoute<typeof decisionQuerySchema> = {
  method: 'GET',
  path: DECISIONS,
  query: decisionQuerySchema,
  answer: list,
};

/** The routes that read the decision log. */
export const DECISION_ROUTES: readonly ProjectRoute[] = [
  LIST,
  { method: 'GET', path: `${DECISIONS}/:decisionId`, id: 'decisionId', answer: get },
];

async function list({
  run,
  projectId,
  query,
}: ProjectCall<typeof decisionQuerySchema>): Promise<DecisionListResult> {
  const { limit, cursor, from, to, ...filter } = query;
  const page = await run(({ db }) =>
    listDecisions(db, {
      projectId,
      filter: { ...filter, from: dateOf(from), to: dateOf(to) },
      limit,
      cursor: cursor ?? null,
    }),
  );
  return { decisions: page.items.map(toLoggedDecision), nextCursor: page.next };
}

async function get({ run, projectId, id: decisionId }: ProjectCall): Promise<LoggedDecision> {
  const found = await run(({ db }) => findDecision(db, { projectId, decisionId }));
  if (found === null) {
    throw new TransportError('not_found', 'The log of the project has no such decision.');
  }
  return toLoggedDecision(found);
}
