import type { Labels, PolicyFacts } from '@ceiba/domain';
import { arrayOf } from '../bulk.ts';
import type { Database } from '../connection/database.ts';
import { requirePrimary, SERVER_EVIDENCE, type ServerEvidence } from '../connection/server.ts';
import { policyRevisionOf } from './revision.ts';

/** A part of a project's list, in the order of the rules, small enough to handle at once. */
export interface PolicyPage {
  /**
   * Changes with every change of the list, by whatever program (rule policy-revision): pages of one
   * revision are of one list.
   */
  revision: string;
  policies: PolicyFacts[];
  /** The last rule of the page if there may be more, else null. */
  next: PolicyRuleKey | null;
}

export interface PolicyRuleKey {
  method: string;
  pathPattern: string;
}

/** Policies of one project in a statement that reads those of many. */
const FIRST_PAGE_SIZE = 100;
/** Policies in each further page. */
const PAGE_SIZE = 1_000;

/** Returns at least one row per project, also of an unknown one, to say which server answered. */
const statementOf = (size: number) => `
  select ${SERVER_EVIDENCE}, p.id as "projectId", ${policyRevisionOf('p.id')} as "revision",
    policy.id as "policyId", policy.method, policy.path_pattern as "pathPattern",
    to_json(policy.scopes) as "scopes", policy.cost
  from unnest(($1::text)::uuid[]) as asked(id)
  left join projects p on p.id = asked.id
  left join lateral (
    select id, method, path_pattern, scopes, cost from policies
    where project_id = p.id and (method, path_pattern) > ($2::text, $3::text)
    order by method, path_pattern limit ${size}
  ) policy on true`;

interface StatementRow extends ServerEvidence {
  /** Null where there is no such project. */
  projectId: string | null;
  revision: string;
  policyId: string | null;
  method: string;
  pathPattern: string;
  scopes: Labels;
  cost: number;
}

/**
 * The first policies of projects with their revisions, read in one statement so that they belong
 * together.
 *
 * @param projectIds UUIDs; anything else fails the whole statement
 * @returns by project; without those that do not exist
 * @throws NotPrimaryError when the server is in recovery
 */
export const listPoliciesWithRevision = (db: Database, projectIds: readonly string[]) =>
  readPages(db, FIRST_PAGE_SIZE, [arrayOf(projectIds), '', '']);

/**
 * The policies of a project that follow a page.
 *
 * @returns undefined when there is no such project any more
 * @throws NotPrimaryError when the server is in recovery
 */
export async function listFurtherPolicies(
  db: Database,
  { projectId, after }: { projectId: string; after: PolicyRuleKey },
): Promise<PolicyPage | undefined> {
  const parameters = [arrayOf([projectId]), after.method, after.pathPattern];
  return (await readPages(db, PAGE_SIZE, parameters)).get(projectId);
}

async function readPages(
  db: Database,
  size: number,
  parameters: string[],
): Promise<Map<string, PolicyPage>> {
  const rows = await db.sql.unsafe<StatementRow[]>(statementOf(size), parameters, {
    prepare: true,
  });
  requirePrimary(db, rows[0]);
  const lists = new Map<string, PolicyPage>();
  for (const { projectId, revision, policyId, ...policy } of rows) {
    if (projectId === null) continue;
    const page = lists.get(projectId) ?? { revision, policies: [], next: null };
    const { method, pathPattern, scopes, cost } = policy;
    if (policyId !== null) page.policies.push({ policyId, method, pathPattern, scopes, cost });
    if (page.policies.length === size) page.next = { method, pathPattern };
    lists.set(projectId, page);
  }
  return lists;
}
