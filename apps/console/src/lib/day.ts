/**
 * `YYYY-MM-DD` as the instant at which that day begins in UTC; null for anything else. Only the
 * years 2000 to 9998: the day after, and a step around it, are then dates that Postgres reads too.
 */
export function parseDay(text: string): Date | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < '2000' || text >= '9999') return null;
  const day = new Date(`${text}T00:00:00Z`);
  // A 30 February would have become a day of March.
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) ? day : null;
}
