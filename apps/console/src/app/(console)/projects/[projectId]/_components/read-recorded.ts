import 'server-only';
import { ambiguityOf } from '@ceiba/domain';
import {
  type ApiKeyName,
  type DecisionRecord,
  groupDenials,
  listDecisions,
  type Project,
  readKeyNames,
} from '@ceiba/schema';
import { withDatabase } from '#server/database.ts';
import type { FirstPath } from './first-path.ts';

/** What the log says on the path to the first allowed call. */
export interface Recorded {
  /** The newest call: an allowed one once it works, a denied one before. */
  last: DecisionRecord | undefined;
  /** The name of its key. */
  apiKey: ApiKeyName | undefined;
  /** What the form of policies offers, one a line. */
  routes: string;
}

const DAY_MS = 86_400_000;
const ROUTES_OFFERED = 10;
const EXAMPLE = 'GET /v1/reports*';

export const NOT_READ: Recorded = { last: undefined, apiKey: undefined, routes: EXAMPLE };

/** Reads what the open step shows. */
export async function readRecorded({ projectId }: Project, { open }: FirstPath): Promise<Recorded> {
  if (open === 'policy') return { ...NOT_READ, routes: await deniedRoutes(projectId) };
  if (open !== 'call' && open !== null) return NOT_READ;
  return withDatabase(async (db) => {
    const filter = { outcome: open === null ? 'allowed' : 'denied' } as const;
    const { items } = await listDecisions(db, { projectId, filter, cursor: '', limit: 1 });
    const [last] = items;
    const apiKeyId = last?.apiKeyId ?? null;
    const names = await readKeyNames(db, {
      projectId,
      apiKeyIds: apiKeyId === null ? [] : [apiKeyId],
    });
    return { ...NOT_READ, last, apiKey: apiKeyId === null ? undefined : names.get(apiKeyId) };
  });
}

/** The routes whose calls were denied for want of a policy, else an example. */
export async function deniedRoutes(projectId: string): Promise<string> {
  const to = new Date();
  const from = new Date(to.getTime() - DAY_MS);
  const groups = await withDatabase((db) => groupDenials(db, { projectId, from, to }));
  const routes = groups.flatMap(({ denialReason, hasPlain, method, pathShape, samplePath }) =>
    denialReason === 'policy_no_match' &&
    hasPlain &&
    pathShape !== null &&
    // Of a probe, and of another path that no pattern can name, no policy is offered.
    ambiguityOf(samplePath ?? '') === null &&
    !pathShape.includes('*')
      ? [`${method} ${pathShape}`]
      : [],
  );
  return routes.slice(0, ROUTES_OFFERED).join('\n') || EXAMPLE;
}
