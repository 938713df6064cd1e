import { csvRoute } from '#server/csv.ts';
import { requireAdministrator } from '#server/session.ts';
import { auditCsv } from '../../../audit/audit-csv.ts';

/** The changes that belong to no project as CSV. */
export const GET = csvRoute(async (request) => {
  await requireAdministrator();
  return auditCsv(Object.fromEntries(request.nextUrl.searchParams), {
    ownerId: null,
    projectId: null,
  });
});
