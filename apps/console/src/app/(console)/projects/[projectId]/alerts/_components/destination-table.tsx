import type { AlertDestination } from '@ceiba/schema';
import { publicAddress } from '@ceiba/schema';
import { Mail, Webhook } from 'lucide-react';
import { Name } from '#components/ui/name.tsx';
import { Cell, HeadCell, Row, Table } from '#components/ui/table.tsx';
import { RelativeTime } from '#components/ui/time.tsx';
import { Link } from '../../../../../../components/ui/link.tsx';
import { StateChip } from './state-chip.tsx';

export interface DestinationTableProps {
  projectId: string;
  destinations: readonly AlertDestination[];
}

/** Every destination of a project; each leads to its deliveries. */
export function DestinationTable({ projectId, destinations }: DestinationTableProps) {
  return (
    <Table
      label="Alert destinations"
      head={
        <>
          <HeadCell>Destination</HeadCell>
          <HeadCell>State</HeadCell>
          <HeadCell numeric className="max-md:hidden">
            Alerts
          </HeadCell>
          <HeadCell className="max-md:hidden">Added</HeadCell>
        </>
      }
    >
      {destinations.map((destination) => {
        const { destinationId, kind, description, eventTypes, createdAt } = destination;
        const Icon = kind === 'webhook' ? Webhook : Mail;
        const address = publicAddress(destination);
        return (
          <Row key={destinationId}>
            <Cell className="max-md:py-3">
              <span className="flex items-center gap-3">
                <Icon aria-hidden="true" className="size-4 shrink-0 text-muted" />
                <span className="min-w-0">
                  <Link
                    href={`/projects/${projectId}/alerts/${destinationId}`}
                    className="rounded font-medium underline-offset-4 wrap-anywhere hover:underline"
                  >
                    <Name>{description || address}</Name>
                  </Link>
                  {description && (
                    <span className="block text-small text-muted wrap-anywhere">{address}</span>
                  )}
                </span>
              </span>
            </Cell>
            <Cell>
              <StateChip {...destination} />
            </Cell>
            <Cell numeric className="max-md:hidden">
              {eventTypes.length}
            </Cell>
            <Cell className="whitespace-nowrap text-muted max-md:hidden">
              <RelativeTime at={createdAt} inRow />
            </Cell>
          </Row>
        );
      })}
    </Table>
  );
}
