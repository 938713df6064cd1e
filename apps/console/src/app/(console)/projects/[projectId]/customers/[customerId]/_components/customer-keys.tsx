import type { ApiKeyRow } from '@ceiba/schema';
import { Name } from '#components/ui/name.tsx';
import { StatusChip } from '#components/ui/state-chips.tsx';
import { Table } from '#components/ui/table.tsx';
import { TextLink } from '#components/ui/text-link.tsx';
import { LastUse, RelativeTime } from '#components/ui/time.tsx';
import { formatCount } from '#lib/format.ts';
import { legible } from '#lib/text.ts';
import { stateOf } from '../../../keys/key-state.ts';

export interface CustomerKeysProps {
  projectId: string;
  /** The newest ones. */
  keys: readonly ApiKeyRow[];
}

/** The keys of a customer. */
export function CustomerKeys({ projectId, keys }: CustomerKeysProps) {
  return (
    <Table
      label="Keys of the customer"
      isListOnPhone
      items={keys}
      keyOf={({ apiKeyId }) => apiKeyId}
      empty={
        <p className="text-muted">
          No keys yet. Create one for it, or move a key to it on the key’s page.
        </p>
      }
      columns={[
        {
          name: 'Key',
          cellClassName: 'max-w-0 py-2 sm:w-1/2 sm:max-w-72',
          cell: (key) => (
            <>
              <div className="flex items-center gap-2">
                <p className="min-w-0 truncate font-medium" title={legible(key.displayName)}>
                  <TextLink href={`/projects/${projectId}/keys/${key.apiKeyId}`} look="quiet">
                    <Name>{key.displayName}</Name>
                  </TextLink>
                </p>
                {/* The page says what denies all of them. */}
                <StatusChip status={stateOf({ ...key, customerDenial: null })} hides="active" />
              </div>
              <p className="flex flex-wrap items-center gap-x-3 text-small text-muted">
                <code>{key.keyPrefix}…</code>
                <span className="sm:hidden">
                  <LastUse at={key.lastUsedAt} none="never used" inRow />
                </span>
                <span className="numbers md:hidden">
                  {formatCount(key.usedThisMonth)} this month
                </span>
              </p>
            </>
          ),
        },
        {
          name: 'Last used',
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
          numeric: true,
          className: 'max-md:hidden',
          cell: ({ usedThisMonth }) => formatCount(usedThisMonth),
        },
      ]}
    />
  );
}
