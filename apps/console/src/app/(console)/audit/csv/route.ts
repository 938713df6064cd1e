import { csvRoute } from '#server/csv.ts';
import { requireUser } from '#server/session.ts';
import { auditCsv } from '../audit-csv.ts';

/** The audit log of all projects of the user as CSV. */
export const GET = csvRoute(async (request) => {
  const user = await requireUser();
  return auditCsv(Object.fromEntries(request.nextUrl.searchParams), { ownerId: user.userId });
});
