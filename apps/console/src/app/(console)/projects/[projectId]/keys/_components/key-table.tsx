import type { ProjectRight } from '@ceiba/domain';
import type { ApiKeyRow, CustomerName } from '@ceiba/schema';
import { clsx } from 'clsx';
import { CalendarClock } from 'lucide-react';
import { Chip } from '#components/ui/chip.tsx';
import { Name } from '#components/ui/name.tsx';
import { StatusChip } from '#components/ui/state-chips.tsx';
import { actionsColumn, Table } from '#components/ui/table.tsx';
import { TextLink } from '#components/ui/text-link.tsx';
import { AbsoluteDate, RelativeTime } from '#components/ui/time.tsx';
import { formatCount } from '#lib/format.ts';
import { legible } from '#lib/text.ts';
import { calledOf } from '../../customers/customer-state.ts';
import { DESCENDING, type KeyOrder, type SortFilter } from '../filter.ts';
import { endedAt, selectable, stateOf, targetOf, usedUpQuotaOf } from '../key-state.ts';
import { ImportedMark } from './imported-chip.tsx';
import { KeyMenu } from './key-menu.tsx';
import { SelectAllKeys, SelectKey } from './key-selection.tsx';

export interface KeyTableProps {
  projectId: string;
  keys: readonly ApiKeyRow[];
  /** The names of their customers, by id. */
  customers: ReadonlyMap<string, CustomerName>;
  order: KeyOrder;
  /** The status of nearly all of them, which is not marked. */
  usual: ApiKeyRow['status'];
  /** One line per key, except on phones: without the hints, which the columns imply. */
  isDense: boolean;
  /** Whether the user has a right; what they cannot do is not in the menu. */
  may: (right: ProjectRight) => boolean;
  hrefOfOrder: (order: KeyOrder) => string;
}

/** Keys, with what shows which of them should not be active. */
export function KeyTable(props: KeyTableProps) {
  const { projectId, keys, customers, order, usual, isDense, may, hrefOfOrder } = props;
  const customerOf = ({ customer }: ApiKeyRow) =>
    customer && (customers.get(customer.customerId) ?? { ...customer, name: '' });
  // The current column reverses its direction.
  const by = (sort: SortFilter) => {
    const isCurrent = sort === order.sort;
    const direction = order.descending ? ('descending' as const) : ('ascending' as const);
    return {
      href: hrefOfOrder({ sort, descending: isCurrent ? !order.descending : DESCENDING[sort] }),
      direction: isCurrent ? direction : undefined,
    };
  };
  // A list of revoked keys has nothing to select.
  const selects = may('change_keys') && keys.some(({ status }) => status === 'active');
  return (
    <Table
      label="Keys"
      items={keys}
      keyOf={({ apiKeyId }) => apiKeyId}
      rowProps={(key) => ({
        className: clsx(
          'changes',
          stateOf(key) !== 'active' && 'text-muted',
          isDense ? 'sm:*:h-8 sm:*:py-0' : 'sm:*:h-11.5 sm:*:py-0.5',
        ),
      })}
      columns={[
        selects && {
          name: 'Selected',
          heading: <SelectAllKeys />,
          className: 'w-10 pr-0',
          cell: (key) =>
            selectable(key).map((apiKey) => <SelectKey key={apiKey.apiKeyId} apiKey={apiKey} />),
        },
        {
          name: 'Key',
          sort: by('name'),
          cellClassName: 'max-w-0 max-sm:py-2.5 sm:w-1/2',
          cell: (key) => (
            <KeyCell
              projectId={projectId}
              apiKey={key}
              customer={customerOf(key)}
              sort={order.sort}
              usual={usual}
              isDense={isDense}
            />
          ),
        },
        keys.some(({ customer }) => customer !== undefined) && {
          name: 'Customer',
          className: 'max-w-40 truncate max-lg:hidden',
          cell: (key) => {
            const { customer } = key;
            const name = customerOf(key);
            return (
              customer &&
              name && (
                <TextLink
                  href={`/projects/${projectId}/customers/${customer.customerId}`}
                  title={legible(name.externalId)}
                  look="quiet"
                >
                  <Name>{calledOf(name)}</Name>
                </TextLink>
              )
            );
          },
        },
        {
          name: 'Last used',
          sort: by('last_used'),
          className: 'whitespace-nowrap max-sm:hidden',
          cell: ({ lastUsedAt: at }) =>
            at === null ? (
              <span className="text-muted">never</span>
            ) : (
              <RelativeTime at={at} inRow />
            ),
        },
        {
          name: 'This month',
          sort: by('used'),
          numeric: true,
          className: 'max-md:hidden',
          cell: ({ usedThisMonth, monthlyQuota, dailyQuota }) => (
            <>
              {formatCount(usedThisMonth)}
              {monthlyQuota !== null && (
                <p className="text-small text-muted">of {formatCount(monthlyQuota)}</p>
              )}
              {dailyQuota !== null && (
                <p className="text-small text-muted">{formatCount(dailyQuota)} per day</p>
              )}
            </>
          ),
        },
        usual === 'active'
          ? {
              name: 'Expires',
              sort: by('expires'),
              className: 'whitespace-nowrap max-lg:hidden',
              cell: ({ status, expiresAt }) => {
                if (expiresAt !== null) return <RelativeTime at={expiresAt} inRow />;
                return status === 'active' && <span className="text-muted">Never</span>;
              },
            }
          : {
              name: usual === 'revoked' ? 'Revoked' : 'Archived',
              sort: by('ended'),
              className: 'whitespace-nowrap max-lg:hidden',
              cell: (key) => {
                const at = endedAt(key);
                return at !== null && <RelativeTime at={at} inRow />;
              },
            },
        {
          name: 'Created',
          sort: by('created'),
          className: 'whitespace-nowrap max-lg:hidden',
          cell: ({ createdAt }) => <AbsoluteDate at={createdAt} inRow />,
        },
        actionsColumn<ApiKeyRow>(
          (key) => (
            <KeyMenu
              projectId={projectId}
              mayChange={may('change_keys')}
              maySimulate={may('simulate')}
              target={targetOf(key)}
            />
          ),
          'w-12 pr-3 pl-0 text-right',
        ),
      ]}
    />
  );
}

interface KeyCellProps extends Pick<KeyTableProps, 'projectId' | 'usual' | 'isDense'> {
  apiKey: ApiKeyRow;
  customer: CustomerName | undefined;
  sort: SortFilter;
}

/** The name and the prefix of a key; on a phone all of the key. */
function KeyCell({ projectId, apiKey, customer, sort, usual, isDense }: KeyCellProps) {
  const { apiKeyId, displayName, keyPrefix } = apiKey;
  const state = stateOf(apiKey);
  return (
    <>
      <div className={clsx(isDense && 'sm:flex sm:items-center sm:gap-3')}>
        <div className="flex min-w-0 items-center gap-2">
          <p className="min-w-0 font-medium" title={legible(displayName)}>
            <TextLink
              href={`/projects/${projectId}/keys/${apiKeyId}`}
              look="quiet"
              className="block truncate"
            >
              <Name>{displayName}</Name>
            </TextLink>
          </p>
          <span className="contents max-sm:hidden">
            <StatusChip status={state} hides={usual} isQuiet />
          </span>
        </div>
        <p
          className={clsx(
            'flex min-w-0 items-center gap-x-2 max-sm:hidden',
            isDense && 'sm:shrink-0 sm:max-lg:hidden',
          )}
        >
          <code className="text-small text-muted">{keyPrefix}…</code>
          {customer && (
            <span className="truncate text-small text-muted lg:hidden">
              <Name>{calledOf(customer)}</Name>
            </span>
          )}
          <Attention apiKey={apiKey} />
        </p>
      </div>
      <div className="mt-0.5 flex flex-wrap items-center gap-x-2 gap-y-1 text-small text-muted sm:hidden">
        <code>{keyPrefix}…</code>
        <KeyFact apiKey={apiKey} sort={sort} />
        <StatusChip status={state} hides={usual} isQuiet />
        <Attention apiKey={apiKey} />
        {customer && (
          <span className="w-full truncate">
            <Name>{calledOf(customer)}</Name>
          </span>
        )}
      </div>
    </>
  );
}

/**
 * What a phone shows of a key beside its state: the value that orders the list, when it was revoked or
 * archived, or the last use.
 */
function KeyFact({ apiKey, sort }: Pick<KeyCellProps, 'apiKey' | 'sort'>) {
  const { expiresAt, hints, isExpired, lastUsedAt, status, usedThisMonth } = apiKey;
  const ended = endedAt(apiKey);
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
  if (ended !== null && sort !== 'last_used') {
    return (
      <span>
        {status} <RelativeTime at={ended} inRow />
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

/** A word for each reason to look at a key; amber is for what has to be done soon. */
function Attention({ apiKey }: { apiKey: ApiKeyRow }) {
  const { hints } = apiKey;
  return (
    <>
      {usedUpQuotaOf(apiKey) !== null && <StatusChip status="used_up" />}
      {hints.includes('idle') && <span className="text-small text-muted">Idle</span>}
      {hints.includes('expires_soon') && (
        <Chip tone="limit" icon={CalendarClock}>
          Expires soon
        </Chip>
      )}
      {hints.includes('imported') && <ImportedMark />}
    </>
  );
}
