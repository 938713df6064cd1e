'use client';

import { EndField } from '#components/end-field.tsx';

const DAYS = [
  ['7', 'In 7 days'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
] as const;

export interface ExpiryFieldProps {
  /** The current expiry, ISO 8601; null if the key never expires. */
  initial?: string | null;
  /** Whether the expiry is that of several keys. */
  isBulk?: boolean;
}

export const ExpiryField = ({ initial = null, isBulk = false }: ExpiryFieldProps) => (
  <EndField
    label="Expires"
    names={{ ends: 'expires', instant: 'expiresAt' }}
    initial={initial}
    days={DAYS}
    calls={isBulk ? 'Calls with these keys' : 'Calls with this key'}
  />
);
