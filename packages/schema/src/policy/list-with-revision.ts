import type { Database } from '../connection/database.ts';
import { requirePrimary, SERVER_EVIDENCE, type ServerEvidence } from '../connection/server.ts';

export interface PolicyList {
  /** Changes with every change of the list, by whatever program (consistency rule 6). */
  revision: string;
  policies: { policyId: string; method: string; pathPattern: string }[];
}

/** Returns at least one row, also without a project, to say which server answered. */
const STATEMENT = `
  select ${SERVER_EVIDENCE}, p.policy_revision as "revision", policy.id as "policyId",
    policy.method, policy.path_pattern as "pathPattern"
  from (select ($1::text)::uuid as id) asked
  left join projects p on p.id = asked.id
  left join policies policy on policy.project_id = p.id`;

interface StatementRow extends ServerEvidence {
  revision: string | null;
  policyId: string | null;
  method: string;
  pathPattern: string;
}

/**
 * A project's policies and their revision, read in one statement so that they belong together.
 *
 * @returns null when there is no such project
 * @throws NotPrimaryError when the server is in recovery
 */
export async function listPoliciesWithRevision(
  db: Database,
  projectId: string,
): Promise<PolicyList | null> {
  const rows = await db.sql.unsafe<StatementRow[]>(STATEMENT, [projectId], { prepare: true });
  const [first] = rows;
  requirePrimary(db, first);
  if (first === undefined || first.revision === null) return null;
  return {
    revision: first.revision,
    policies: rows.flatMap(({ policyId, method, pathPattern }) =>
      policyId === null ? [] : [{ policyId, method, pathPattern }],
    ),
  };
}
