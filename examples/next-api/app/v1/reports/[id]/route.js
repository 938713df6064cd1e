import { protect } from '../../../../lib/ceiba.js';
import { REPORTS } from '../../../../lib/reports.js';

export const GET = protect(async (_request, { params }) => {
  const { id } = await params;
  const report = REPORTS.find((candidate) => candidate.id === id);
  if (report) return Response.json(report);
  return Response.json({ error: 'not_found', message: 'No such report.' }, { status: 404 });
});
