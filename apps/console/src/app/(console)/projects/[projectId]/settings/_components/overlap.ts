const MINUTE_MS = 60_000;

/** `23 h 12 min`, rounded up, so that it never reads as over before it is. */
export function durationWords(ms: number): string {
  const minutes = Math.max(0, Math.ceil(ms / MINUTE_MS));
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${minutes} min` : `${hours} h ${minutes % 60} min`;
}

export interface Overlap {
  remainingMs: number;
  /** How much of it is over, from 0 to 1. */
  elapsed: number;
}

/** How long the previous secret is accepted beside the current one; null when it is not. */
export function overlapAt(
  { createdAt, previousExpiresAt }: { createdAt: string; previousExpiresAt: string | null },
  now: Date,
): Overlap | null {
  if (previousExpiresAt === null) return null;
  const end = new Date(previousExpiresAt).getTime();
  const whole = end - new Date(createdAt).getTime();
  // A page's clock ticks now and then, and can be behind the rotation that it shows.
  const remainingMs = Math.min(whole, end - now.getTime());
  return remainingMs <= 0 ? null : { remainingMs, elapsed: 1 - remainingMs / whole };
}
