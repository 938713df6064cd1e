import { type DenialStatus, HTTP_STATUS_FOR_DENIAL } from '@ceiba/contract/sets';

/** What hosts answer denials with. */
export const DENIAL_STATUSES: readonly DenialStatus[] = [
  ...new Set(Object.values(HTTP_STATUS_FOR_DENIAL)),
];

/** The status that a text is; undefined for any other text. */
export const denialStatusOf = (text: string): DenialStatus | undefined =>
  DENIAL_STATUSES.find((status) => String(status) === text);
