/** The last time that has four digits for its year, in ms since 1970. */
const LAST_TIME_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * When a decision was made, to the ms: its id is a UUID of version 7, which begins with the time
 * (RFC 9562, section 5.7). So ids sort by time.
 *
 * @param decisionId - A UUID.
 * @returns null for a UUID of another version, or of a year after 9999.
 */
export function timeOfDecision(decisionId: string): Date | null {
  if (decisionId[14] !== '7') return null;
  const ms = Number.parseInt(decisionId.slice(0, 8) + decisionId.slice(9, 13), 16);
  return ms <= LAST_TIME_MS ? new Date(ms) : null;
}
