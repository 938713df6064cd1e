import type { AlertDestination } from '@ceiba/schema';
import { publicAddress } from '@ceiba/schema';
import { Mail, Webhook } from 'lucide-react';
import { Name } from '#components/ui/name.tsx';
import { Table, timeColumn } from '#components/ui/table.tsx';
import { TextLink } from '#components/ui/text-link.tsx';
import { StateChip } from './state-chip.tsx';

export interface DestinationTableProps {
  projectId: string;
  destinations: readonly AlertDestination[];
}

/** Every destination of a project; each leads to its deliveries. */
export const DestinationTable = ({ projectId, destinations }: DestinationTableProps) => (
  <Table
    label="Alert destinations"
    items={destinations}
    keyOf={({ destinationId }) => destinationId}
    columns={[
      {
        name: 'Destination',
        cellClassName: 'max-md:py-3',
        cell: (destination) => <Destination projectId={projectId} destination={destination} />,
      },
      { name: 'State', cell: (destination) => <StateChip {...destination} /> },
      {
        name: 'Alerts',
        numeric: true,
        className: 'max-md:hidden',
        cell: ({ eventTypes }) => eventTypes.length,
      },
      timeColumn<AlertDestination>('Added', ({ createdAt }) => createdAt),
    ]}
  />
);

function Destination({
  projectId,
  destination,
}: {
  projectId: string;
  destination: AlertDestination;
}) {
  const { destinationId, kind, description } = destination;
  const Icon = kind === 'webhook' ? Webhook : Mail;
  const address = publicAddress(destination);
  return (
    <span className="flex items-center gap-3">
      <Icon aria-hidden="true" className="size-4 shrink-0 text-muted" />
      <span className="min-w-0">
        <TextLink
          href={`/projects/${projectId}/alerts/${destinationId}`}
          look="quiet"
          className="font-medium wrap-anywhere"
        >
          <Name>{description || address}</Name>
        </TextLink>
        {description && (
          <span className="block text-small text-muted wrap-anywhere">{address}</span>
        )}
      </span>
    </span>
  );
}
