import { type DecisionListResult, decisionQuerySchema, type LoggedDecision } from '@ceiba/contract';
import { findDecision, listDecisions, toLoggedDecision } from '@ceiba/schema';
import { invalidField, invalidRequest, TransportError } from '../errors.ts';
import type { ProjectCall, ProjectRoute } from './project-routes.ts';

const DECISIONS = '/rt/projects/:projectId/decisions';

/** The routes that read the decision log. */
export const DECISION_ROUTES: readonly ProjectRoute[] = [
  { method: 'GET', path: DECISIONS, answer: list },
  { method: 'GET', path: `${DECISIONS}/:decisionId`, id: 'decisionId', answer: get },
];

async function list({ run, projectId, query }: ProjectCall): Promise<DecisionListResult> {
  const { limit, cursor, from, to, ...filter } = parseQuery(query);
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

const dateOf = (text: string | undefined) => (text === undefined ? undefined : new Date(text));

/** An empty parameter counts as absent. @throws TransportError that names the wrong parameter */
function parseQuery(query: URLSearchParams) {
  const given = [...query].filter(([, value]) => value !== '');
  const names = given.map(([name]) => name);
  const result = decisionQuerySchema.safeParse(Object.fromEntries(given));
  if (!result.success) throw invalidField(result.error);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw invalidRequest(`"${twice}" must not be given twice.`);
  return result.data;
}
