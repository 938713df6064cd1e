import { type AuditFilter, type AuditRow, listAudit } from '@ceiba/schema';
import type { ReactNode } from 'react';
import { AuditEntry } from '#components/audit/audit-entry.tsx';
import { kindsIn } from '#components/audit/audit-words.ts';
import { NotRead } from '#components/not-read.tsx';
import { CsvLink } from '#components/ui/csv-link.tsx';
import { EmptyState, NothingMatches } from '#components/ui/empty-state.tsx';
import { PageLinks } from '#components/ui/pagination.tsx';
import { PageHeader } from '#components/ui/section.tsx';
import { AbsoluteDate } from '#components/ui/time.tsx';
import type { Viewer } from '#lib/entity.ts';
import { dayOf } from '#lib/instant.ts';
import { type Query, withQuery } from '#lib/list-query.ts';
import { longDayName } from '#lib/time.ts';
import { unlessTooSlow, withDatabase, withSlowDatabase } from '#server/database.ts';
import { viewerZone } from '#server/time-zone.ts';
import { AuditFilterForm } from './audit-filter.tsx';
import { parseAuditQuery } from './audit-query.ts';

const PAGE_SIZE = 50;

export interface AuditLogProps {
  here: string;
  query: Query;
  title: string;
  description: ReactNode;
  /** Whose log it is: a user's, a project's for its members, or what belongs to no project. */
  scope: Pick<AuditFilter, 'ownerId' | 'projectId'>;
  viewer: Viewer;
  /** Between the header and the filter. */
  children?: ReactNode;
}

/** One page of the log with its filter, the newest first. */
export async function AuditLog({ here, query, scope, viewer, children, ...head }: AuditLogProps) {
  const asked = parseAuditQuery(query, new Date());
  const read = asked.isFiltered ? withSlowDatabase : withDatabase;
  const page = await read((db) =>
    listAudit(db, {
      ...scope,
      ...asked.filter,
      cursor: asked.cursor,
      limit: PAGE_SIZE,
      orFirst: true,
    }),
  ).catch(unlessTooSlow);
  const timeZone = await viewerZone();
  return (
    <>
      <PageHeader
        title={head.title}
        description={
          <>
            {head.description} Times are in {timeZone}.
          </>
        }
        guide="audit"
        actions={<CsvLink href={withQuery(`${here}/csv`, query, { cursor: undefined })} />}
      />
      {children}
      <AuditFilterForm
        here={here}
        query={asked}
        kinds={kindsIn(scope)}
        today={dayOf(new Date(), timeZone).from}
      />
      {asked.searchedSince !== null && (
        <p className="-mt-2 mb-6 text-small text-muted">
          A text search covers one year: here it starts on <AbsoluteDate at={asked.searchedSince} />
          . To search earlier entries, set an end.
        </p>
      )}
      {typeof page === 'string' ? (
        <NotRead why={page}>Narrow the time range or drop a filter.</NotRead>
      ) : page.items.length > 0 ? (
        byDay(page.items, timeZone).map(([day, rows]) => (
          <section key={day} aria-label={day} className="mb-6">
            <h2 className="mb-2 font-semibold">{day}</h2>
            <ol className="panel divide-y">
              {rows.map((row) => (
                <li key={row.auditId}>
                  <AuditEntry
                    row={row}
                    isOfOneDay
                    withProject={scope.projectId === undefined}
                    viewer={viewer}
                  />
                </li>
              ))}
            </ol>
          </section>
        ))
      ) : asked.isFiltered ? (
        <NothingMatches here={here}>No changes match this filter.</NothingMatches>
      ) : (
        <EmptyState title="No changes yet">
          Every change is recorded here: who made it, when and from which IP address, with the
          values before and after.
        </EmptyState>
      )}
      {typeof page !== 'string' && (
        <PageLinks here={here} query={query} page={page} names={['Newer', 'Older']} />
      )}
    </>
  );
}

/** The rows of each day, in the same order. */
function byDay(rows: readonly AuditRow[], timeZone: string): [day: string, rows: AuditRow[]][] {
  const days = new Map<string, AuditRow[]>();
  for (const row of rows) {
    const day = longDayName(new Date(row.at), timeZone);
    days.set(day, [...(days.get(day) ?? []), row]);
  }
  return [...days];
}
