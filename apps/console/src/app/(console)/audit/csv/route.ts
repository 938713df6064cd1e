import { dataRoute } from '#server/data-route.ts';
import { requireUser } from '#server/session.ts';
import { auditCsv } from '../audit-csv.ts';

/** The audit log of all projects of the user as CSV. */
export const GET = dataRoute(async (query) => {
  const user = await requireUser();
  return auditCsv(query, { ownerId: user.userId });
});
