import { ALERT_TYPES, type AlertType } from '@ceiba/domain';
import type { AlertChoice } from './destination-fields.tsx';

/** What a new destination gets; changes that users make themselves are extra. */
const USUAL: readonly AlertType[] = [
  'quota.threshold_reached',
  'api_key.expiring',
  'decisions.failing',
  'denials.unusual',
];

/** Every alert, with those of a destination chosen. */
export const alertChoices = (chosen: readonly string[] = USUAL): AlertChoice[] =>
  Object.entries(ALERT_TYPES).map(([type, words]) => ({
    type,
    words,
    chosen: chosen.includes(type),
  }));
