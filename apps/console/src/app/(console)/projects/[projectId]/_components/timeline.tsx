import type { FirstDenial } from '@ceiba/schema';
import { CornerDownRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { AuditEntry } from '#components/audit/audit-entry.tsx';
import { RecordedPath } from '#components/ui/path-text.tsx';
import { Section } from '#components/ui/section.tsx';
import { OUTCOME_LOOKS } from '#components/ui/state-chips.tsx';
import { TextLink } from '#components/ui/text-link.tsx';
import { AbsoluteTime } from '#components/ui/time.tsx';
import { auditHref } from '#lib/audit-href.ts';
import type { Viewer } from '#lib/entity.ts';
import { type RequestFields, requestsBetween } from '#lib/requests-href.ts';
import { timeBetween } from '#lib/time.ts';
import { viewerZone } from '#server/time-zone.ts';
import type { Timeline as Entries, TimelineEntry } from '../read-timeline.ts';

export interface TimelineProps {
  projectId: string;
  timeline: Entries;
  description: string;
  /** The filter of the requests of the key or the customer. */
  of: RequestFields;
  viewer: Viewer;
}

/** What happened to a key or a customer, the newest first, each change with the denial it led to. */
export async function Timeline({ timeline, description, ...given }: TimelineProps) {
  const place = { ...given, timeZone: await viewerZone() };
  const { entries, requestsSince } = timeline;
  const { projectId, of } = given;
  return (
    <Section
      title="History"
      description={description}
      link={{
        href: `/projects/${projectId}/audit?q=${of.key ?? of.customer}`,
        label: 'All changes',
      }}
    >
      {entries.length === 0 ? (
        <p className="text-muted">Nothing is recorded.</p>
      ) : (
        <ol className="panel divide-y">
          {entries.map((entry) => (
            <li key={entry.id}>
              <What entry={entry} requestsSince={requestsSince} {...place} />
              {entry.denial !== null && <Denial cause={entry} denial={entry.denial} {...place} />}
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}

type Place = Omit<TimelineProps, 'timeline' | 'description'> & { timeZone: string };

interface WhatProps extends Place {
  entry: TimelineEntry;
  /** From when requests are kept: earlier ones have no link. */
  requestsSince: Date;
}

function What({ entry: { at, what }, requestsSince, projectId, of, viewer, timeZone }: WhatProps) {
  switch (what.kind) {
    case 'change':
      return (
        <AuditEntry
          row={what.row}
          about={of.key ?? of.customer ?? undefined}
          viewer={viewer}
          log={auditHref(projectId, what.row, timeZone)}
        />
      );
    case 'first_use': {
      const { recorded, hour } = what.use;
      if (recorded !== null) {
        return (
          <Moment at={at}>
            First recorded call allowed.{' '}
            <TextLink href={`/projects/${projectId}/requests/${recorded.decisionId}`}>
              The request
            </TextLink>
          </Moment>
        );
      }
      const range = { from: hour, to: new Date(hour.getTime() + HOUR_MS) };
      return (
        <Moment at={hour}>
          Used first, in the hour that began then.{' '}
          {hour >= requestsSince && (
            <TextLink href={requestsBetween(projectId, range, of)}>Requests of that hour</TextLink>
          )}
        </Moment>
      );
    }
    case 'last_use':
      return (
        <Moment at={at}>
          Last allowed call.{' '}
          {at >= requestsSince && (
            <TextLink href={requestsBetween(projectId, { from: at }, of)}>Requests since</TextLink>
          )}
        </Moment>
      );
    case 'expiry':
      return <Moment at={at}>Expired.</Moment>;
  }
}

const HOUR_MS = 3_600_000;

/** An entry that is no change; in line with the sentences of those. */
const Moment = ({ at, children }: { at: Date; children: ReactNode }) => (
  <div className="@container">
    <p className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 px-(--inset) py-2 @md:grid-cols-[auto_minmax(0,1fr)_auto]">
      <span aria-hidden="true" className="mx-1 mt-1.5 size-2 rounded-full bg-line-strong" />
      <span className="text-muted">{children}</span>
      <span className="figures text-small text-muted @max-md:col-start-2 @md:mt-px @md:text-right">
        <AbsoluteTime at={at} inRow />
      </span>
    </p>
  </div>
);

interface DenialProps extends Place {
  cause: TimelineEntry;
  denial: FirstDenial | 'none';
}

/** The effect, below its cause. */
function Denial({ cause, denial, projectId, of }: DenialProps) {
  return (
    <p className="-mt-1 flex gap-2 px-(--inset) pb-2 text-small sm:pl-[calc(var(--inset)+1.75rem)]">
      <CornerDownRight aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-muted" />
      {denial === 'none' ? (
        <span className="text-muted">No call was denied for it since.</span>
      ) : (
        <span className="min-w-0 wrap-anywhere">
          <span className="font-medium text-deny-text">
            First denied {timeBetween(cause.at, denial.at)} later
          </span>
          , <AbsoluteTime at={denial.at} inRow />:{' '}
          <TextLink href={`/projects/${projectId}/requests/${denial.decisionId}`}>
            {denial.method} <RecordedPath path={denial.path} />
          </TextLink>
          , {OUTCOME_LOOKS[denial.denialReason].label.toLowerCase()}.{' '}
          <TextLink
            href={requestsBetween(
              projectId,
              { from: denial.at },
              { ...of, reason: denial.denialReason },
            )}
          >
            All since
          </TextLink>
        </span>
      )}
    </p>
  );
}
