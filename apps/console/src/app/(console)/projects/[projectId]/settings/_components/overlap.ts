const MINUTE_MS = 60_000;

/** `23 h 12 min`, rounded up, so that it never shows zero early. */
export function durationWords(ms: number): string {
  const minutes = Math.max(0, Math.ceil(ms / MINUTE_MS));
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${minutes} min` : `${hours} h ${minutes % 60} min`;
}

export interface Overlap {
  remainingMs: number;
  /** The part of it that is over, from 0 to 1. */
  elapsed: number;
}

/** How long the previous secret is still accepted; null if it is not. */
export function overlapAt(
  { createdAt, previousExpiresAt }: { createdAt: string; previousExpiresAt: string | null },
  now: Date,
): Overlap | null {
  if (previousExpiresAt === null) return null;
  const end = new Date(previousExpiresAt).getTime();
  const whole = end - new Date(createdAt).getTime();
  // The page's clock can be behind the rotation that it shows.
  const remainingMs = Math.min(whole, end - now.getTime());
  return remainingMs <= 0 ? null : { remainingMs, elapsed: 1 - remainingMs / whole };
}
