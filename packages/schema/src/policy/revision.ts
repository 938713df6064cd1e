/**
 * SQL for the revision of a project's policies: text of a number that every change replaces by a
 * random one, as does the creation of the project (rule policy-revision).
 *
 * @param projectId a column
 */
export const policyRevisionOf = (projectId: string) =>
  `(select coalesce(bit_xor(v.r), 0)::text from decision_revisions v where v.project_id = ${projectId})`;
