import type { Database } from '../connection/database.ts';
import { requirePrimary, SERVER_EVIDENCE, type ServerEvidence } from '../connection/server.ts';

export interface PolicyList {
  /** Changes with every change of the list, by whatever program (consistency rule 6). */
  revision: string;
  policies: { policyId: string; method: string; pathPattern: string }[];
}

/** Returns at least one row per project, also of an unknown one, to say which server answered. */
const STATEMENT = `
  select ${SERVER_EVIDENCE}, p.id as "projectId", p.policy_revision as "revision",
    policy.id as "policyId", policy.method, policy.path_pattern as "pathPattern"
  from unnest(($1::text)::uuid[]) as asked(id)
  left join projects p on p.id = asked.id
  left join policies policy on policy.project_id = p.id`;

interface StatementRow extends ServerEvidence {
  /** Null where there is no such project. */
  projectId: string | null;
  revision: string;
  policyId: string | null;
  method: string;
  pathPattern: string;
}

/**
 * The policies of projects with their revisions, read in one statement so that they belong together.
 *
 * @param projectIds UUIDs; anything else fails the whole statement
 * @returns by project; without those that do not exist
 * @throws NotPrimaryError when the server is in recovery
 */
export async function listPoliciesWithRevision(
  db: Database,
  projectIds: readonly string[],
): Promise<Map<string, PolicyList>> {
  const parameters = [`{${projectIds.join(',')}}`];
  const rows = await db.sql.unsafe<StatementRow[]>(STATEMENT, parameters, { prepare: true });
  requirePrimary(db, rows[0]);
  const lists = new Map<string, PolicyList>();
  for (const { projectId, revision, policyId, method, pathPattern } of rows) {
    if (projectId === null) continue;
    const list = lists.get(projectId) ?? { revision, policies: [] };
    if (policyId !== null) list.policies.push({ policyId, method, pathPattern });
    lists.set(projectId, list);
  }
  return lists;
}
