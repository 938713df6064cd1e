import type { NextRequest } from 'next/server';
import { auditCsv } from '#components/audit/audit-csv.ts';
import { requireProject } from '#server/project.ts';

/** The audit log of one project as CSV. */
export async function GET(
  request: NextRequest,
  { params }: { params: Promise<{ projectId: string }> },
): Promise<Response> {
  const { user, project } = await requireProject((await params).projectId);
  return auditCsv(request.nextUrl, { ownerId: user.userId, projectId: project.projectId });
}
