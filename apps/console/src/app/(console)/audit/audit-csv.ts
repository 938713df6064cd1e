import 'server-only';
import { type AuditFilter, type AuditRow, exportAudit } from '@ceiba/schema';
import { csvResponse } from '#server/csv.ts';
import { withDatabase } from '#server/database.ts';
import { parseAuditQuery } from './audit-query.ts';

const HEAD = [
  'at_utc',
  'actor_kind',
  'actor',
  'action',
  'target_kind',
  'target_id',
  'target',
  'project_id',
  'project',
  'client_address',
  'request_id',
  'before',
  'after',
];

/** The audit rows that match the filter of the URL as CSV, newest first. */
export function auditCsv(
  url: URL,
  scope: Pick<AuditFilter, 'ownerId' | 'projectId'>,
): Promise<Response> {
  const now = new Date();
  const { filter } = parseAuditQuery(Object.fromEntries(url.searchParams), now);
  const day = now.toISOString().slice(0, 10);
  const pages = exportAudit(withDatabase, { ...scope, ...filter });
  return csvResponse(`ceiba-audit-${day}`, HEAD, linesOf(pages));
}

async function* linesOf(pages: AsyncGenerator<AuditRow[]>) {
  for await (const rows of pages) {
    yield rows.map(({ at, actor, action, target, ...row }) => [
      at.toISOString(),
      actor.kind,
      actor.label,
      action,
      target.kind,
      target.id,
      target.label,
      row.projectId,
      row.projectName,
      row.clientAddress,
      row.requestId,
      jsonOf(row.before),
      jsonOf(row.after),
    ]);
  }
}

const jsonOf = (value: unknown) => (value === null ? null : JSON.stringify(value));
