/** The changes of an item on the day of one of them, in UTC as the filter of the audit log is. */
export function auditHref(
  projectId: string,
  { at, target }: { at: Date; target: { id: string } },
): string {
  const day = at.toISOString().slice(0, 10);
  return `/projects/${projectId}/audit?${new URLSearchParams({ q: target.id, from: day, to: day })}`;
}
