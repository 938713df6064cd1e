import { protect } from '../../../lib/ceiba.js';
import { REPORTS } from '../../../lib/reports.js';

export const GET = protect((_request, _context, { access }) =>
  Response.json({ reports: REPORTS, calledBy: access.apiKey.displayName }),
);
