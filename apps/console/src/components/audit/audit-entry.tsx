import type { AuditRow } from '@ceiba/schema';
import { clsx } from 'clsx';
import { ChevronRight } from 'lucide-react';
import type { Viewer } from '../../lib/entity.ts';
import { Name } from '../ui/name.tsx';
import { TextLink } from '../ui/text-link.tsx';
import { AbsoluteTime, TimeOfDay } from '../ui/time.tsx';
import {
  auditWords,
  auditWordsHere,
  type FieldChange,
  fieldChanges,
  fieldWords,
  targetLink,
} from './audit-words.ts';

export interface AuditEntryProps {
  row: AuditRow;
  /** It is below the name of its day, and shows the time of it. */
  isOfOneDay?: boolean;
  /** Shows the project of the row. */
  withProject?: boolean;
  /** Links it to what it is about, as far as this user has a page for it. */
  viewer: Viewer;
  /** The ID of the item of the page: what was done to it is said in few words, and opened, in full. */
  about?: string | undefined;
  /** Where the audit log has the entry; absent in the log itself. */
  log?: string;
}

/** One change in a sentence; opened, it shows the values before and after. */
export function AuditEntry({
  row,
  isOfOneDay = false,
  withProject = false,
  viewer,
  about,
  log,
}: AuditEntryProps) {
  return (
    <details className="group @container">
      <summary
        className={clsx(
          'grid cursor-pointer list-none gap-x-3 gap-y-1 px-(--inset) py-2 transition-colors hover:bg-hover focus-visible:-outline-offset-2 [&::-webkit-details-marker]:hidden',
          isOfOneDay
            ? 'grid-cols-[auto_minmax(0,1fr)_auto]'
            : 'grid-cols-[auto_minmax(0,1fr)] @md:grid-cols-[auto_minmax(0,1fr)_auto]',
        )}
      >
        <ChevronRight
          aria-hidden="true"
          className="mt-0.5 size-4 shrink-0 text-muted transition-transform group-open:rotate-90"
        />
        <Sentence row={row} withProject={withProject} about={about} />
        {isOfOneDay ? (
          <span className="figures mt-px text-small text-muted">
            <TimeOfDay at={row.at} inRow />
          </span>
        ) : (
          <span className="figures text-small text-muted @max-md:col-start-2 @md:mt-px @md:text-right">
            <AbsoluteTime at={row.at} inRow />
          </span>
        )}
      </summary>
      <Details row={row} withProject={withProject} viewer={viewer} about={about} log={log} />
    </details>
  );
}

interface SentenceProps extends Pick<AuditEntryProps, 'about'> {
  row: AuditRow;
  withProject: boolean;
}

function Sentence({ row, withProject, about }: SentenceProps) {
  const { actor, action, target, clientAddress, projectId, projectName } = row;
  const isElsewhere = withProject && projectId !== null && target.kind !== 'project';
  return (
    <span className="min-w-0 break-words">
      <span className="font-medium">{actor.label}</span>{' '}
      {actor.token !== null && (
        <>
          <span className="text-muted">with the token</span> <Name>{actor.token}</Name>{' '}
        </>
      )}
      {target.id === about ? (
        <span className="text-muted">{auditWordsHere(action)}</span>
      ) : (
        <>
          <span className="text-muted">{auditWords(action)}</span>{' '}
          <span className="font-medium">
            <Name>{target.label ?? target.id}</Name>
          </span>
        </>
      )}
      {isElsewhere && projectName !== null && (
        <>
          {' '}
          <span className="text-muted">in</span> <Name>{projectName}</Name>
        </>
      )}
      {clientAddress !== null && about === undefined && (
        <span className="text-muted">
          {' '}
          from <code className="text-small">{clientAddress}</code>
        </span>
      )}
    </span>
  );
}

interface DetailsProps extends SentenceProps {
  viewer: Viewer;
  log: string | undefined;
}

/** What follows the sentence; its links cannot be in the sentence, which opens and closes the row. */
function Details({ row, withProject, viewer, about, log }: DetailsProps) {
  const link = row.target.id !== about && targetLink(row, viewer);
  const changes = fieldChanges(row.before, row.after);
  return (
    <div className="numbers grid gap-4 border-t bg-sunken/50 px-(--inset) py-4 sm:pl-[calc(var(--inset)+1.75rem)]">
      {changes.length === 0 ? (
        <p className="text-small text-muted">No values were changed.</p>
      ) : (
        <dl className="grid grid-cols-[minmax(0,9rem)_minmax(0,1fr)] gap-x-4 gap-y-2 sm:grid-cols-[12rem_minmax(0,1fr)]">
          {changes.map((change) => (
            <Change key={change.field} change={change} />
          ))}
        </dl>
      )}
      <p className="flex flex-wrap gap-x-4 gap-y-1 text-small text-muted">
        <span>
          <AbsoluteTime at={row.at} />
        </span>
        {about !== undefined && row.clientAddress !== null && (
          <span>
            from <code>{row.clientAddress}</code>
          </span>
        )}
        <code className="break-all">{row.action}</code>
        <code className="break-all">{row.target.id}</code>
        {row.requestId !== null && <code className="break-all">request {row.requestId}</code>}
        {log !== undefined && <TextLink href={log}>Open in the audit log</TextLink>}
        {link && <TextLink href={link.href}>Open {link.word}</TextLink>}
        {withProject && row.projectId !== null && row.projectName !== null && (
          <TextLink href={`/projects/${row.projectId}`}>
            Open <Name>{row.projectName}</Name>
          </TextLink>
        )}
      </p>
    </div>
  );
}

function Change({ change }: { change: FieldChange }) {
  const [wasThere, isThere] = ['before' in change, 'after' in change];
  return (
    <>
      <dt className="text-muted">{fieldWords(change.field)}</dt>
      <dd className="min-w-0 break-words">
        {wasThere && (
          <>
            <span className="sr-only">before: </span>
            <del className="text-muted">
              <Value field={change.field} value={change.before} />
            </del>
          </>
        )}
        {wasThere && isThere && <span aria-hidden="true"> → </span>}
        {isThere && (
          <>
            <span className="sr-only">after: </span>
            <ins className="font-medium no-underline">
              <Value field={change.field} value={change.after} />
            </ins>
          </>
        )}
      </dd>
    </>
  );
}

function Value({ field, value }: { field: string; value: unknown }) {
  if (value === null) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return value.toLocaleString('en-US');
  if (typeof value === 'string')
    return isTime(field, value) ? <AbsoluteTime at={value} /> : <Name>{value}</Name>;
  return <code className="text-small">{JSON.stringify(value)}</code>;
}

/** By its field: a name may look like a time. */
const isTime = (field: string, text: string) =>
  /(At|End)$/.test(field) && !Number.isNaN(Date.parse(text));
