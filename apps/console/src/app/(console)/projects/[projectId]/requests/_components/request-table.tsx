import { HTTP_STATUS_FOR_DENIAL } from '@ceiba/contract/sets';
import type { ApiKeyName, CustomerName, DecisionRecord } from '@ceiba/schema';
import { Name } from '#components/ui/name.tsx';
import { RecordedPath } from '#components/ui/path-text.tsx';
import { MethodChip, OutcomeChip, ProbeChip } from '#components/ui/state-chips.tsx';
import { Table } from '#components/ui/table.tsx';
import { TextLink } from '#components/ui/text-link.tsx';
import { LogTime } from '#components/ui/time.tsx';
import { formatCount } from '#lib/format.ts';
import { type Query, withQuery } from '#lib/list-query.ts';
import { isProbe } from '#lib/probe.ts';
import { BY_OLD_SECRET, legible } from '#lib/text.ts';
import { calledOf } from '../../customers/customer-state.ts';

export interface RequestTableProps {
  /** The address of the list, and its filter, with which the page of a request leads back. */
  here: string;
  query: Query;
  requests: readonly DecisionRecord[];
  names: ReadonlyMap<string, ApiKeyName>;
  /** The names of customers, by id. */
  customers: ReadonlyMap<string, CustomerName>;
  timeZone: string;
}

/** Recorded decisions, newest first. A row opens its gates. */
export function RequestTable({
  here,
  query,
  requests,
  names,
  customers,
  timeZone,
}: RequestTableProps) {
  const callerOf = ({ apiKeyId, keyPrefix, byPreviousSecret }: DecisionRecord) => (
    <>
      <Caller name={apiKeyId === null ? undefined : names.get(apiKeyId)} keyPrefix={keyPrefix} />
      {byPreviousSecret && <span className="text-muted">{BY_OLD_SECRET}</span>}
    </>
  );
  const customerOf = ({ customerId }: DecisionRecord) => {
    const name = customerId === null ? undefined : customers.get(customerId);
    return (
      name && (
        <span title={legible(name.externalId)}>
          <Name>{calledOf(name)}</Name>
        </span>
      )
    );
  };
  const hasCustomers = requests.some(({ customerId }) => customerId !== null);
  return (
    <Table
      label="Requests"
      isListOnPhone
      items={requests}
      keyOf={({ decisionId }) => decisionId}
      rowProps={() => ({ className: 'hover:bg-hover' })}
      columns={[
        {
          name: 'Request',
          cellClassName: 'max-w-0 max-sm:py-2.5 sm:w-2/5',
          cell: (request) => (
            <>
              <TextLink
                href={withQuery(`${here}/${request.decisionId}`, query, {})}
                look="quiet"
                className="flex min-w-0 items-center gap-2"
              >
                <MethodChip method={request.method} />
                <RecordedPath path={request.path} />
                {isProbe(request.path) && <ProbeChip />}
              </TextLink>
              <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1 text-small text-muted sm:hidden">
                {outcomeOf(request)}
                <LogTime at={request.at} inRow />
              </div>
              <p className="mt-1 truncate text-small text-muted md:hidden">{callerOf(request)}</p>
              <p className="truncate text-small text-muted empty:hidden xl:hidden">
                {customerOf(request)}
              </p>
            </>
          ),
        },
        {
          name: 'Outcome',
          className: 'max-sm:hidden',
          cell: outcomeOf,
        },
        { name: 'Key', className: 'max-w-64 truncate max-md:hidden', cell: callerOf },
        hasCustomers && {
          name: 'Customer',
          className: 'max-w-48 truncate max-xl:hidden',
          cell: customerOf,
        },
        {
          name: `Time, ${timeZone}`,
          className: 'figures whitespace-nowrap max-sm:hidden',
          cell: ({ at }) => <LogTime at={at} inRow />,
        },
        {
          name: 'Latency',
          numeric: true,
          className: 'text-muted max-lg:hidden',
          cell: ({ latencyMs }) => `${formatCount(latencyMs)} ms`,
        },
      ]}
    />
  );
}

/** The verdict, and the status that the host answers a denial with. */
const outcomeOf = ({ outcome }: DecisionRecord) => (
  <span className="inline-flex items-center gap-2 whitespace-nowrap">
    <OutcomeChip outcome={outcome} />
    {outcome !== 'allowed' && (
      <span className="figures text-small text-muted">{HTTP_STATUS_FOR_DENIAL[outcome]}</span>
    )}
  </span>
);

/** Who called: the key's name, or the prefix of a key that this project does not have. */
function Caller({ name, keyPrefix }: { name: ApiKeyName | undefined; keyPrefix: string | null }) {
  if (name !== undefined) {
    return (
      <span title={legible(name.displayName)}>
        <Name>{name.displayName}</Name>
      </span>
    );
  }
  if (keyPrefix === null) return <span className="text-muted">no key</span>;
  return <code className="text-small text-muted">{keyPrefix}…</code>;
}
