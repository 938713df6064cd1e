import type { ApiKeyRow } from '@ceiba/schema';
import { ArrowDown, CalendarClock, Hourglass, Infinity as Never } from 'lucide-react';
import Link from 'next/link';
import { Chip, StatusChip } from '#components/ui/chip.tsx';
import { Name } from '#components/ui/name.tsx';
import { ActionsHeadCell, Cell, HeadCell, Row, Table } from '#components/ui/table.tsx';
import { AbsoluteDate, RelativeTime } from '#components/ui/time.tsx';
import { formatCount } from '#lib/format.ts';
import { legible } from '#lib/text.ts';
import type { SortFilter } from '../filter.ts';
import { KeyMenu } from './key-menu.tsx';

export interface KeyTableProps {
  projectId: string;
  keys: readonly ApiKeyRow[];
  sort: SortFilter;
  hrefOfSort: (sort: SortFilter) => string;
}

const DIRECTIONS = {
  created: 'descending',
  name: 'ascending',
  expires: 'ascending',
  last_used: 'descending',
  used: 'descending',
} as const satisfies Record<SortFilter, string>;

/** Keys, with what shows which of them should not be active. */
export function KeyTable({ projectId, keys, sort, hrefOfSort }: KeyTableProps) {
  const by = (name: SortFilter, words: string) => (
    <SortLink words={words} href={hrefOfSort(name)} isCurrent={sort === name} />
  );
  const ordered = (name: SortFilter) =>
    sort === name ? ({ 'aria-sort': DIRECTIONS[name] } as const) : {};
  return (
    <Table
      label="Keys"
      head={
        <>
          <HeadCell {...ordered('name')}>{by('name', 'Key')}</HeadCell>
          <HeadCell className="max-sm:hidden">Status</HeadCell>
          <HeadCell className="max-sm:hidden" {...ordered('last_used')}>
            {by('last_used', 'Last used')}
          </HeadCell>
          <HeadCell numeric className="max-md:hidden" {...ordered('used')}>
            {by('used', 'This month')}
          </HeadCell>
          <HeadCell className="max-lg:hidden" {...ordered('expires')}>
            {by('expires', 'Expires')}
          </HeadCell>
          <HeadCell className="max-lg:hidden" {...ordered('created')}>
            {by('created', 'Created')}
          </HeadCell>
          <ActionsHeadCell className="w-12" />
        </>
      }
    >
      {keys.map((key) => (
        <KeyTableRow key={key.apiKeyId} projectId={projectId} apiKey={key} />
      ))}
    </Table>
  );
}

interface SortLinkProps {
  words: string;
  href: string;
  isCurrent: boolean;
}

function SortLink({ words, href, isCurrent }: SortLinkProps) {
  return (
    <Link
      href={href}
      scroll={false}
      className="inline-flex items-center gap-1 rounded hover:text-ink"
    >
      {words}
      {isCurrent && <ArrowDown aria-hidden="true" className="size-3.5 text-ink" />}
    </Link>
  );
}

function KeyTableRow({ projectId, apiKey }: { projectId: string; apiKey: ApiKeyRow }) {
  const { displayName, keyPrefix, lastUsedAt, expiresAt, usedThisMonth, monthlyQuota } = apiKey;
  const status = apiKey.status === 'active' && apiKey.isExpired ? 'expired' : apiKey.status;
  return (
    <Row className={status === 'active' ? undefined : 'text-muted'}>
      <Cell className="max-w-0 py-3 sm:w-2/5 sm:max-w-72">
        <p className="truncate font-medium" title={legible(displayName)}>
          <Name>{displayName}</Name>
        </p>
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <code className="text-small text-muted">{keyPrefix}…</code>
          <Attention apiKey={apiKey} />
        </p>
        <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1 text-small text-muted sm:hidden">
          <StatusChip status={status} />
          <span>
            used <LastUsed at={lastUsedAt} />
          </span>
          <span className="numbers">{formatCount(usedThisMonth)} this month</span>
        </div>
      </Cell>
      <Cell className="max-sm:hidden">
        <StatusChip status={status} />
      </Cell>
      <Cell className="whitespace-nowrap max-sm:hidden">
        <LastUsed at={lastUsedAt} />
      </Cell>
      <Cell numeric className="max-md:hidden">
        {formatCount(usedThisMonth)}
        {monthlyQuota !== null && (
          <p className="text-small text-muted">of {formatCount(monthlyQuota)}</p>
        )}
      </Cell>
      <Cell className="whitespace-nowrap max-lg:hidden">
        {expiresAt === null ? (
          <span className="flex items-center gap-1 text-muted">
            <Never aria-hidden="true" className="size-4 text-limit-text" />
            Never
          </span>
        ) : (
          <RelativeTime at={expiresAt} />
        )}
      </Cell>
      <Cell className="whitespace-nowrap max-lg:hidden">
        <AbsoluteDate at={apiKey.createdAt} />
      </Cell>
      <Cell className="pr-3 pl-0 text-right">
        <KeyMenu
          projectId={projectId}
          isActive={apiKey.status === 'active'}
          target={{
            apiKeyId: apiKey.apiKeyId,
            displayName,
            keyPrefix,
            expiresAt,
            rateLimitPerMinute: apiKey.rateLimitPerMinute,
            monthlyQuota,
          }}
        />
      </Cell>
    </Row>
  );
}

function LastUsed({ at }: { at: string | null }) {
  return at === null ? <span className="text-muted">never</span> : <RelativeTime at={at} />;
}

/** A word for each reason to look at a key. */
function Attention({ apiKey: { hints } }: { apiKey: ApiKeyRow }) {
  return (
    <>
      {hints.includes('idle') && (
        <Chip tone="limit" icon={Hourglass}>
          Idle
        </Chip>
      )}
      {hints.includes('expires_soon') && (
        <Chip tone="limit" icon={CalendarClock}>
          Expires soon
        </Chip>
      )}
      {hints.includes('never_expires') && (
        <Chip icon={Never} className="lg:hidden">
          Never expires
        </Chip>
      )}
    </>
  );
}
