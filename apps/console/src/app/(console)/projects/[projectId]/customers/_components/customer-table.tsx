import type { ProjectRight } from '@ceiba/domain';
import type { Customer, CustomerUse } from '@ceiba/schema';
import { LimitText } from '#components/ui/limit-text.tsx';
import { Name } from '#components/ui/name.tsx';
import { StatusChip } from '#components/ui/state-chips.tsx';
import { actionsColumn, Table, timeColumn } from '#components/ui/table.tsx';
import { TextLink } from '#components/ui/text-link.tsx';
import { LastUse, RelativeTime } from '#components/ui/time.tsx';
import { PeriodBar } from '#components/usage/period-bar.tsx';
import { formatCount } from '#lib/format.ts';
import { legible } from '#lib/text.ts';
import { calledOf, stateOf, targetOf } from '../customer-state.ts';
import { CustomerMenu } from './customer-menu.tsx';

export interface CustomerTableProps {
  projectId: string;
  customers: readonly Customer[];
  uses: ReadonlyMap<string, CustomerUse>;
  /** Whether the user has a right; what they cannot do is not in the menu. */
  may: (right: ProjectRight) => boolean;
}

type Row = Customer & { use: CustomerUse };

/** Customers with what they have used of their quota. */
export function CustomerTable({ projectId, customers, uses, may }: CustomerTableProps) {
  const rows = customers.flatMap((customer): Row[] => {
    const use = uses.get(customer.customerId);
    return use ? [{ ...customer, use }] : [];
  });
  return (
    <Table
      label="Customers"
      isListOnPhone
      items={rows}
      keyOf={({ customerId }) => customerId}
      rowProps={({ suspendedAt }) => ({ className: suspendedAt === null ? '' : 'text-muted' })}
      columns={[
        {
          name: 'Customer',
          cellClassName: 'max-w-0 max-sm:py-2.5 sm:w-1/2',
          cell: (row) => <CustomerCell projectId={projectId} row={row} />,
        },
        {
          name: 'Plan',
          className: 'max-w-40 truncate max-md:hidden',
          cell: ({ plan }) =>
            plan === null ? <LimitText value={null} /> : <Name>{plan.name}</Name>,
        },
        {
          name: 'Active keys',
          numeric: true,
          className: 'max-lg:hidden',
          cell: ({ use: { activeKeys, activeKeyCap } }) => (
            <>
              {formatCount(activeKeys)}
              {activeKeyCap !== null && (
                <span className="text-muted"> of {formatCount(activeKeyCap)}</span>
              )}
            </>
          ),
        },
        {
          name: 'This period',
          className: 'w-64 max-sm:hidden',
          cell: ({ use }) => <PeriodBar period={use.month} />,
        },
        {
          name: 'Last used',
          className: 'whitespace-nowrap max-lg:hidden',
          cell: ({ use: { lastUsedAt: at } }) =>
            at === null ? (
              <span className="text-muted">never</span>
            ) : (
              <RelativeTime at={at} inRow />
            ),
        },
        timeColumn<Row>('Created', ({ createdAt }) => createdAt, 'max-2xl:hidden'),
        actionsColumn<Row>(
          ({ use: _, ...customer }) => (
            <CustomerMenu
              projectId={projectId}
              target={targetOf(customer)}
              mayChange={may('change_customers')}
              mayCreateKeys={may('change_keys')}
            />
          ),
          'w-12 pr-3 pl-0 text-right',
        ),
      ]}
    />
  );
}

/** The name and the external ID of a customer; on a phone all of it. */
function CustomerCell({ projectId, row }: { projectId: string; row: Row }) {
  const { customerId, externalId, name, plan, use } = row;
  return (
    <>
      <div className="flex items-center gap-2">
        <p className="min-w-0 truncate font-medium" title={legible(calledOf(row))}>
          <TextLink href={`/projects/${projectId}/customers/${customerId}`} look="quiet">
            <Name>{calledOf(row)}</Name>
          </TextLink>
        </p>
        <StatusChip status={stateOf(row, use.admits)} hides="active" />
      </div>
      {name !== '' && (
        <p className="truncate" title={legible(externalId)}>
          <code className="text-small text-muted">
            <Name>{externalId}</Name>
          </code>
        </p>
      )}
      <div className="mt-1 grid gap-2 text-small sm:hidden">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
          {plan !== null && <Name>{plan.name}</Name>}
          <span>
            <LastUse at={use.lastUsedAt} inRow />
          </span>
        </p>
        <PeriodBar period={use.month} unit="this period" />
      </div>
    </>
  );
}
