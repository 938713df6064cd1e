import { projectCsvRoute } from '#server/csv.ts';
import { auditCsv } from '../../../../audit/audit-csv.ts';

/** The audit log of one project as CSV. */
export const GET = projectCsvRoute(({ projectId }, query) =>
  auditCsv(query, { ownerId: null, projectId }),
);
