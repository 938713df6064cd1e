import { randomUUID } from 'node:crypto';

/**
 * A UUID of version 7 (RFC 9562): the time in ms, then random bits, which Node draws for 128 UUIDs at
 * once. A UUID of version 4 has its random bits, its variant and its hyphens at the same places.
 */
export function newUuid(): string {
  const nowMs = Date.now();
  if (nowMs !== prefix.ofMs) prefix = { ofMs: nowMs, text: prefixOf(nowMs) };
  return prefix.text + randomUUID().slice(15);
}

/** Of the last millisecond: many UUIDs are made in one turn of the event loop. */
let prefix = { ofMs: Number.NaN, text: '' };

function prefixOf(ms: number): string {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7`;
}
