import { randomUUID } from 'node:crypto';

/**
 * A UUID of version 7 (RFC 9562): the time in ms, then random bits, which Node draws for 128 UUIDs at
 * once. A UUID of version 4 has its random bits, its variant and its hyphens at the same places.
 */
export function newUuid(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
