import type { AlertDelivery } from '@ceiba/schema';
import { Check, Clock, X } from 'lucide-react';
import { Chip } from '#components/ui/chip.tsx';
import { Table } from '#components/ui/table.tsx';
import { RelativeTime } from '#components/ui/time.tsx';
import { plural } from '#lib/format.ts';
import { SendAgain } from './destination-button.tsx';

const STATUS = {
  pending: { label: 'Waiting', tone: 'neutral', icon: Clock },
  delivered: { label: 'Delivered', tone: 'normal', icon: Check },
  failed: { label: 'Failed', tone: 'deny', icon: X },
} as const;

export interface DeliveryTableProps {
  destinationId: string;
  deliveries: readonly AlertDelivery[];
  /** Whether the viewer may send one again, and the destination gets any. */
  maySend: boolean;
}

/** What a destination got, the newest first. */
export const DeliveryTable = ({ deliveries, maySend, ...ref }: DeliveryTableProps) => (
  <Table
    label="Deliveries, newest first"
    items={deliveries}
    keyOf={({ deliveryId }) => deliveryId}
    empty={<p className="text-muted">Nothing was sent here yet.</p>}
    columns={[
      {
        name: 'Alert',
        cellClassName: 'py-3 align-top',
        cell: ({ type, createdAt }) => (
          <>
            <AlertType type={type} />
            <span className="block text-small text-muted">
              <RelativeTime at={createdAt} inRow />
            </span>
          </>
        ),
      },
      {
        name: 'Status',
        cellClassName: 'py-3 align-top',
        cell: (delivery) => (
          <>
            <DeliveryStatus {...delivery} />
            {maySend && delivery.status === 'failed' && (
              <div className="mt-2">
                <SendAgain {...ref} deliveryId={delivery.deliveryId} type={delivery.type} />
              </div>
            )}
          </>
        ),
      },
      {
        name: 'Last attempt',
        className: 'whitespace-nowrap text-muted max-md:hidden',
        cellClassName: 'py-3 align-top',
        cell: ({ lastAttemptAt, attempts }) => (
          <>
            {lastAttemptAt && <RelativeTime at={lastAttemptAt} inRow />}
            <span className="block text-small">{plural(attempts, 'attempt')}</span>
          </>
        ),
      },
    ]}
  />
);

/** May break after its dot. */
function AlertType({ type }: { type: string }) {
  const [subject, ...rest] = type.split('.');
  return (
    <code className="text-small">
      {subject}.<wbr />
      {rest.join('.')}
    </code>
  );
}

function DeliveryStatus({ status, attempts, lastStatus, lastError, nextAttemptAt }: AlertDelivery) {
  const { label, tone, icon } = STATUS[status];
  return (
    <>
      <Chip tone={tone} icon={icon}>
        {label}
        {status === 'delivered' && lastStatus !== null && ` · ${lastStatus}`}
      </Chip>
      {lastError && <span className="mt-1 block text-small text-muted">{lastError}</span>}
      {nextAttemptAt && attempts > 0 && (
        <span className="block text-small text-muted">
          Next attempt <RelativeTime at={nextAttemptAt} inRow />
        </span>
      )}
    </>
  );
}
