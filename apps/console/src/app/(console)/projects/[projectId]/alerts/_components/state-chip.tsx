import type { AlertDestination } from '@ceiba/schema';
import { Check, CirclePause, Clock, TriangleAlert } from 'lucide-react';
import { Chip } from '#components/ui/chip.tsx';

/** Whether a destination gets alerts, and whether they arrive. */
export function StateChip({
  kind,
  consent,
  disabledReason,
  failingSince,
}: Pick<AlertDestination, 'kind' | 'consent' | 'disabledReason' | 'failingSince'>) {
  if (disabledReason === 'user') {
    return (
      <Chip tone="limit" icon={CirclePause}>
        Disabled
      </Chip>
    );
  }
  if (disabledReason !== null) {
    return (
      <Chip tone="deny" icon={CirclePause}>
        Disabled by Ceiba
      </Chip>
    );
  }
  if (kind === 'mail' && consent !== 'confirmed') {
    return consent === null ? (
      <Chip tone="neutral" icon={Clock}>
        Not confirmed
      </Chip>
    ) : (
      <Chip tone="limit" icon={CirclePause}>
        Unsubscribed
      </Chip>
    );
  }
  return failingSince === null ? (
    <Chip tone="allow" icon={Check}>
      Enabled
    </Chip>
  ) : (
    <Chip tone="deny" icon={TriangleAlert}>
      Failing
    </Chip>
  );
}
