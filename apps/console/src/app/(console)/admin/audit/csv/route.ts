import { auditCsv } from '#components/audit/audit-csv.ts';
import { csvRoute } from '#server/csv.ts';
import { requireAdministrator } from '#server/session.ts';

/** The changes that belong to no project as CSV. */
export const GET = csvRoute(async (request) => {
  await requireAdministrator();
  return auditCsv(request.nextUrl, { ownerId: null, projectId: null });
});
