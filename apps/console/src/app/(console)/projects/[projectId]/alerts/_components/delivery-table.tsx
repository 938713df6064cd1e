import type { AlertDelivery } from '@ceiba/schema';
import { Check, Clock, X } from 'lucide-react';
import { Chip } from '#components/ui/chip.tsx';
import { Cell, HeadCell, Row, Table } from '#components/ui/table.tsx';
import { RelativeTime } from '#components/ui/time.tsx';
import { plural } from '#lib/format.ts';
import { SendAgain } from './destination-button.tsx';

const STATUS = {
  pending: { label: 'Waiting', tone: 'neutral', icon: Clock },
  delivered: { label: 'Delivered', tone: 'allow', icon: Check },
  failed: { label: 'Failed', tone: 'deny', icon: X },
} as const;

export interface DeliveryTableProps {
  projectId: string;
  destinationId: string;
  deliveries: readonly AlertDelivery[];
  /** Whether the viewer may send one again, and the destination gets any. */
  maySend: boolean;
}

/** What a destination got, the newest first. */
export function DeliveryTable({ deliveries, maySend, ...ref }: DeliveryTableProps) {
  return (
    <Table
      label="Deliveries, newest first"
      head={
        <>
          <HeadCell>Alert</HeadCell>
          <HeadCell>Status</HeadCell>
          <HeadCell className="max-md:hidden">Last attempt</HeadCell>
        </>
      }
    >
      {deliveries.map((delivery) => (
        <Row key={delivery.deliveryId}>
          <Cell className="py-3 align-top">
            <AlertType type={delivery.type} />
            <span className="block text-small text-muted">
              <RelativeTime at={delivery.createdAt} inRow />
            </span>
          </Cell>
          <Cell className="py-3 align-top">
            <DeliveryStatus {...delivery} />
            {maySend && delivery.status === 'failed' && (
              <div className="mt-2">
                <SendAgain {...ref} deliveryId={delivery.deliveryId} type={delivery.type} />
              </div>
            )}
          </Cell>
          <Cell className="py-3 align-top whitespace-nowrap text-muted max-md:hidden">
            {delivery.lastAttemptAt && <RelativeTime at={delivery.lastAttemptAt} inRow />}
            <span className="block text-small">{plural(delivery.attempts, 'attempt')}</span>
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

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
