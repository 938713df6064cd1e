import type { Database } from '../database.ts';

export interface PolicyList {
  /** Changes with every change of the list, whoever makes it (consistency rule 6). */
  revision: string;
  policies: { policyId: string; method: string; pathPattern: string }[];
}

/**
 * A project's policies together with their revision, read in one statement so that neither can be
 * newer than the other.
 *
 * @returns null when there is no such project
 */
export async function listPoliciesWithRevision(
  db: Database,
  projectId: string,
): Promise<PolicyList | null> {
  const rows = await db.sql<
    { revision: string; policyId: string | null; method: string; pathPattern: string }[]
  >`
    select p.policy_revision as "revision", policy.id as "policyId", policy.method,
      policy.path_pattern as "pathPattern"
    from projects p left join policies policy on policy.project_id = p.id
    where p.id = ${projectId}`;
  const [first] = rows;
  if (first === undefined) return null;
  return {
    revision: first.revision,
    policies: rows.flatMap(({ policyId, method, pathPattern }) =>
      policyId === null ? [] : [{ policyId, method, pathPattern }],
    ),
  };
}
