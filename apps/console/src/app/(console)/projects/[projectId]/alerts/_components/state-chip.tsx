import type { AlertDestination } from '@ceiba/schema';
import { Check, CirclePause, Clock, TriangleAlert } from 'lucide-react';
import { Chip } from '#components/ui/chip.tsx';

const LOOKS = {
  enabled: { tone: 'normal', icon: Check, children: 'Enabled' },
  failing: { tone: 'deny', icon: TriangleAlert, children: 'Failing' },
  disabled: { tone: 'limit', icon: CirclePause, children: 'Disabled' },
  disabledByCeiba: { tone: 'deny', icon: CirclePause, children: 'Disabled by Ceiba' },
  unconfirmed: { tone: 'neutral', icon: Clock, children: 'Not confirmed' },
  unsubscribed: { tone: 'limit', icon: CirclePause, children: 'Unsubscribed' },
} as const;

type Facts = Pick<AlertDestination, 'kind' | 'consent' | 'disabledReason' | 'failingSince'>;

/** Whether a destination gets alerts, and whether they arrive. */
export const StateChip = (destination: Facts) => <Chip {...LOOKS[stateOf(destination)]} />;

function stateOf({ kind, consent, disabledReason, failingSince }: Facts): keyof typeof LOOKS {
  if (disabledReason !== null) return disabledReason === 'user' ? 'disabled' : 'disabledByCeiba';
  if (kind === 'mail' && consent !== 'confirmed') return consent ?? 'unconfirmed';
  return failingSince === null ? 'enabled' : 'failing';
}
