import { type AuditFilter, listAudit } from '@ceiba/schema';
import { ChevronLeft, ChevronRight, Download } from 'lucide-react';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { type Query, withQuery } from '../../lib/list-query.ts';
import { withDatabase } from '../../server/database.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { PageHeader } from '../ui/section.tsx';
import { AuditFilterForm } from './audit-filter.tsx';
import { AuditList } from './audit-list.tsx';
import { parseAuditQuery } from './audit-query.ts';

const PAGE_SIZE = 50;

export interface AuditLogProps {
  here: string;
  query: Query;
  title: string;
  description: ReactNode;
  /** Whose log, and of which project where it is of one. */
  scope: Pick<AuditFilter, 'ownerId' | 'projectId'>;
  kinds: readonly string[];
}

/** A page of the log with its filter; the newest first. */
export async function AuditLog({ here, query, scope, kinds, ...head }: AuditLogProps) {
  const asked = parseAuditQuery(query, new Date());
  const { items, next, previous } = await withDatabase((db) =>
    listAudit(db, { ...scope, ...asked.filter, cursor: asked.cursor, limit: PAGE_SIZE }),
  );
  const at = (cursor: string | null) =>
    cursor === null ? undefined : withQuery(here, query, { cursor });
  return (
    <>
      <PageHeader
        title={head.title}
        description={head.description}
        actions={
          <Button asChild>
            <a href={withQuery(`${here}/csv`, query, { cursor: undefined })} download>
              <Download aria-hidden="true" />
              Download CSV
            </a>
          </Button>
        }
      />
      <AuditFilterForm here={here} query={asked} kinds={kinds} />
      {items.length > 0 ? (
        <AuditList rows={items} withProject={scope.projectId === undefined} />
      ) : asked.isFiltered ? (
        <p className="py-8 text-muted">Nothing that happened matches this filter.</p>
      ) : (
        <EmptyState title="Nothing has happened yet">
          Every change is recorded here: who made it, from where and when, with the values before
          and after, in the transaction of the change.
        </EmptyState>
      )}
      {(next !== null || previous !== null) && (
        <nav aria-label="Pages" className="mt-4 flex justify-end gap-2">
          <Step href={at(previous)}>
            <ChevronLeft aria-hidden="true" />
            Newer
          </Step>
          <Step href={at(next)}>
            Older
            <ChevronRight aria-hidden="true" />
          </Step>
        </nav>
      )}
    </>
  );
}

function Step({ href, children }: { href: string | undefined; children: ReactNode }) {
  if (href === undefined) {
    return (
      <Button size="sm" disabled>
        {children}
      </Button>
    );
  }
  return (
    <Button asChild size="sm">
      <Link href={href}>{children}</Link>
    </Button>
  );
}
