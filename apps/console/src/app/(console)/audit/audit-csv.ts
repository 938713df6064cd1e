import 'server-only';
import { type AuditFilter, type AuditRow, exportAudit } from '@ceiba/schema';
import type { Query } from '#lib/list-query.ts';
import { type CsvColumns, csvDay, csvResponse } from '#server/csv.ts';
import { withSlowDatabase } from '#server/database.ts';
import { parseAuditQuery } from './audit-query.ts';

const COLUMNS: CsvColumns<AuditRow> = {
  at_utc: ({ at }) => at.toISOString(),
  actor_kind: ({ actor }) => actor.kind,
  actor: ({ actor }) => actor.label,
  actor_token: ({ actor }) => actor.token,
  action: ({ action }) => action,
  target_kind: ({ target }) => target.kind,
  target_id: ({ target }) => target.id,
  target: ({ target }) => target.label,
  project_id: (row) => row.projectId,
  project: (row) => row.projectName,
  client_address: (row) => row.clientAddress,
  request_id: (row) => row.requestId,
  before: ({ before }) => jsonOf(before),
  after: ({ after }) => jsonOf(after),
};

/** The audit rows that match the filter of the URL as CSV, newest first. */
export function auditCsv(
  query: Query,
  scope: Pick<AuditFilter, 'ownerId' | 'projectId'>,
): Promise<Response> {
  const { filter } = parseAuditQuery(query, new Date());
  const pages = exportAudit(withSlowDatabase, { ...scope, ...filter });
  return csvResponse(`ceiba-audit-${csvDay()}`, COLUMNS, pages);
}

const jsonOf = (value: unknown) => (value === null ? null : JSON.stringify(value));
