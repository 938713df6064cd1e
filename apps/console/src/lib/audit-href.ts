import { dayOf, minuteText } from './instant.ts';

const MINUTE_MS = 60_000;

/** The changes of an item on the day of one of them, in the viewer's time zone. */
export function auditHref(
  projectId: string,
  { at, target }: { at: Date; target: { id: string } },
  timeZone: string,
): string {
  const day = dayOf(at, timeZone);
  const query = new URLSearchParams({
    q: target.id,
    from: minuteText(day.from),
    to: minuteText(new Date(day.to.getTime() - MINUTE_MS)),
  });
  return `/projects/${projectId}/audit?${query}`;
}
