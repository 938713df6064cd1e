import type { AlertDestination } from '@ceiba/schema';
import { Check, CirclePause, Clock, TriangleAlert } from 'lucide-react';
import { Chip } from '#components/ui/chip.tsx';

const LOOKS = {
  enabled: { tone: 'allow', icon: Check, word: 'Enabled' },
  failing: { tone: 'deny', icon: TriangleAlert, word: 'Failing' },
  disabled: { tone: 'limit', icon: CirclePause, word: 'Disabled' },
  disabledByCeiba: { tone: 'deny', icon: CirclePause, word: 'Disabled by Ceiba' },
  unconfirmed: { tone: 'neutral', icon: Clock, word: 'Not confirmed' },
  unsubscribed: { tone: 'limit', icon: CirclePause, word: 'Unsubscribed' },
} as const;

type Facts = Pick<AlertDestination, 'kind' | 'consent' | 'disabledReason' | 'failingSince'>;

/** Whether a destination gets alerts, and whether they arrive. */
export function StateChip(destination: Facts) {
  const { tone, icon, word } = LOOKS[stateOf(destination)];
  return (
    <Chip tone={tone} icon={icon}>
      {word}
    </Chip>
  );
}

function stateOf({ kind, consent, disabledReason, failingSince }: Facts): keyof typeof LOOKS {
  if (disabledReason !== null) return disabledReason === 'user' ? 'disabled' : 'disabledByCeiba';
  if (kind === 'mail' && consent !== 'confirmed') return consent ?? 'unconfirmed';
  return failingSince === null ? 'enabled' : 'failing';
}
