import { csvRoute } from '#server/csv.ts';
import { requireProject } from '#server/project.ts';
import { auditCsv } from '../../../../audit/audit-csv.ts';

/** The audit log of one project as CSV. */
export const GET = csvRoute<{ params: Promise<{ projectId: string }> }>(
  async (request, { params }) => {
    const { project } = await requireProject((await params).projectId);
    return auditCsv(request.nextUrl, { ownerId: null, projectId: project.projectId });
  },
);
