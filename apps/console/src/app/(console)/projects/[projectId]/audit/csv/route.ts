import { projectRoute } from '#server/data-route.ts';
import { auditCsv } from '../../../../audit/audit-csv.ts';

/** The audit log of one project as CSV. */
export const GET = projectRoute(({ projectId }, query) =>
  auditCsv(query, { ownerId: null, projectId }),
);
