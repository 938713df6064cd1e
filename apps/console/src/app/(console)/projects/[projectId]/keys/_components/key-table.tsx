import type { ProjectRight } from '@ceiba/domain';
import type { ApiKeyRow } from '@ceiba/schema';
import { clsx } from 'clsx';
import { CalendarClock, Hourglass, Infinity as Never } from 'lucide-react';
import { Chip, StatusChip } from '#components/ui/chip.tsx';
import { Name } from '#components/ui/name.tsx';
import { SortLink } from '#components/ui/sort-link.tsx';
import { ActionsHeadCell, Cell, HeadCell, Row, Table } from '#components/ui/table.tsx';
import { AbsoluteDate, RelativeTime } from '#components/ui/time.tsx';
import { formatCount } from '#lib/format.ts';
import { legible } from '#lib/text.ts';
import { Link } from '../../../../../../components/ui/link.tsx';
import { DESCENDING, type KeyOrder, type SortFilter } from '../filter.ts';
import { stateOf, targetOf } from '../key-state.ts';
import { KeyMenu } from './key-menu.tsx';
import { SelectAllKeys, SelectKey } from './key-selection.tsx';

export interface KeyTableProps {
  projectId: string;
  keys: readonly ApiKeyRow[];
  order: KeyOrder;
  /** One line per key, except on phones: without the hints, which the columns imply. */
  isDense: boolean;
  /** Whether the user has a right; what they cannot do is not in the menu. */
  may: (right: ProjectRight) => boolean;
  hrefOfOrder: (order: KeyOrder) => string;
}

/** Keys, with what shows which of them should not be active. */
export function KeyTable({ projectId, keys, order, isDense, may, hrefOfOrder }: KeyTableProps) {
  const direction = order.descending ? 'descending' : 'ascending';
  const isCurrent = (sort: SortFilter) => sort === order.sort;
  // The current column reverses its direction.
  const hrefOf = (sort: SortFilter) =>
    hrefOfOrder({
      sort,
      descending: isCurrent(sort) ? !order.descending : DESCENDING[sort],
    });
  const by = (sort: SortFilter, words: string) => (
    <SortLink href={hrefOf(sort)} direction={isCurrent(sort) ? direction : undefined}>
      {words}
    </SortLink>
  );
  // A list of revoked keys has nothing to select.
  const selects = may('change_keys') && keys.some(({ status }) => status === 'active');
  const ordered = (sort: SortFilter) =>
    isCurrent(sort) ? ({ 'aria-sort': direction } as const) : {};
  return (
    <Table
      label="Keys"
      head={
        <>
          {selects && (
            <HeadCell className="w-10 pr-0">
              <SelectAllKeys />
            </HeadCell>
          )}
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
        <KeyTableRow
          key={key.apiKeyId}
          projectId={projectId}
          apiKey={key}
          sort={order.sort}
          selects={selects}
          isDense={isDense}
          may={may}
        />
      ))}
    </Table>
  );
}

interface KeyTableRowProps extends Pick<KeyTableProps, 'projectId' | 'isDense' | 'may'> {
  apiKey: ApiKeyRow;
  sort: SortFilter;
  /** Whether the list has a column of checkboxes. */
  selects: boolean;
}

function KeyTableRow({ projectId, apiKey, sort, selects, isDense, may }: KeyTableRowProps) {
  const { apiKeyId, displayName, keyPrefix, lastUsedAt, expiresAt, usedThisMonth, monthlyQuota } =
    apiKey;
  const state = stateOf(apiKey);
  return (
    <Row className={clsx(state !== 'active' && 'text-muted', isDense && 'sm:*:h-10 sm:*:py-0.5')}>
      {selects && (
        <Cell className="pr-0">
          {apiKey.status === 'active' && <SelectKey apiKey={{ apiKeyId, displayName }} />}
        </Cell>
      )}
      <Cell className="max-w-0 py-3 sm:w-2/5 sm:max-w-72">
        <div className={clsx(isDense && 'sm:flex sm:items-center sm:gap-3')}>
          <p className="min-w-0 truncate font-medium" title={legible(displayName)}>
            <Link
              href={`/projects/${projectId}/keys/${apiKeyId}`}
              className="rounded underline-offset-4 hover:underline"
            >
              <Name>{displayName}</Name>
            </Link>
          </p>
          <p
            className={clsx(
              'flex flex-wrap items-center gap-x-3 gap-y-1 max-sm:hidden',
              isDense && 'sm:shrink-0 sm:max-lg:hidden',
            )}
          >
            <code className="text-small text-muted">{keyPrefix}…</code>
            <span className={clsx('contents', isDense && 'sm:hidden')}>
              <Attention apiKey={apiKey} />
            </span>
          </p>
        </div>
        <div className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-small text-muted sm:hidden">
          {state === 'active' && needsAttention(apiKey) ? (
            <Attention apiKey={apiKey} />
          ) : (
            <StatusChip status={state} />
          )}
          <KeyFact apiKey={apiKey} sort={sort} />
        </div>
      </Cell>
      <Cell className="max-sm:hidden">
        <StatusChip status={state} />
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
            <Never aria-hidden="true" className="size-4" />
            Never
          </span>
        ) : (
          <RelativeTime at={expiresAt} inRow />
        )}
      </Cell>
      <Cell className="whitespace-nowrap max-lg:hidden">
        <AbsoluteDate at={apiKey.createdAt} inRow />
      </Cell>
      <Cell className="pr-3 pl-0 text-right">
        <KeyMenu
          projectId={projectId}
          mayChange={may('change_keys')}
          maySimulate={may('simulate')}
          target={targetOf(apiKey)}
        />
      </Cell>
    </Row>
  );
}

/** What a phone shows of a key beside its state: the value that orders the list, or the last use. */
function KeyFact({ apiKey, sort }: Pick<KeyTableRowProps, 'apiKey' | 'sort'>) {
  const { expiresAt, hints, isExpired, lastUsedAt, usedThisMonth } = apiKey;
  if (sort === 'used')
    return <span className="numbers">{formatCount(usedThisMonth)} this month</span>;
  if (sort === 'expires') {
    if (expiresAt === null) return <span>never expires</span>;
    return (
      <span>
        {isExpired ? 'expired' : 'expires'} <RelativeTime at={expiresAt} inRow />
      </span>
    );
  }
  // The chip says that it expires soon.
  if (hints.includes('expires_soon') && expiresAt !== null) {
    return <RelativeTime at={expiresAt} inRow />;
  }
  if (lastUsedAt === null) return <span>never used</span>;
  return (
    <span>
      used <RelativeTime at={lastUsedAt} inRow />
    </span>
  );
}

function LastUsed({ at }: { at: string | null }) {
  return at === null ? <span className="text-muted">never</span> : <RelativeTime at={at} inRow />;
}

/** Whether an active key has a word that says more than that it is active. */
const needsAttention = ({ hints }: ApiKeyRow) =>
  hints.includes('idle') || hints.includes('expires_soon');

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
        <Chip icon={Never} className="max-sm:hidden lg:hidden">
          Never expires
        </Chip>
      )}
    </>
  );
}
