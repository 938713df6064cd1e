import { dataRoute } from '#server/data-route.ts';
import { requireAdministrator } from '#server/session.ts';
import { auditCsv } from '../../../audit/audit-csv.ts';

/** The changes that belong to no project as CSV. */
export const GET = dataRoute(async (query) => {
  await requireAdministrator();
  return auditCsv(query, {
    ownerId: null,
    projectId: null,
  });
});
