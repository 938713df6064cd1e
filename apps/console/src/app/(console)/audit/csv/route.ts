import type { NextRequest } from 'next/server';
import { auditCsv } from '#components/audit/audit-csv.ts';
import { requireUser } from '#server/session.ts';

/** The audit log of all projects of the user as CSV. */
export async function GET(request: NextRequest): Promise<Response> {
  const user = await requireUser();
  return auditCsv(request.nextUrl, { ownerId: user.userId });
}
