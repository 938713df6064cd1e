/** What a `datetime-local` field may hold: an earlier year is one that was typed in two digits. */
export const LOCAL_TIME_BOUNDS = { min: '2000-01-01T00:00', max: '9998-12-31T23:59' } as const;

/** As `datetime-local` takes it, in the browser's zone. */
export function localText(instant: Date): string {
  const local = new Date(instant.getTime() - instant.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** What `datetime-local` holds, in the browser's zone; null where that is no instant. */
export function instantOf(typed: string): Date | null {
  const instant = new Date(typed);
  return Number.isNaN(instant.getTime()) ? null : instant;
}
