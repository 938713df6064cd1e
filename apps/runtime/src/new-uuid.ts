import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const BYTES_PER_ID = 16;
const drawn = new Uint8Array(BYTES_PER_ID * 256);
let used = drawn.length;

/**
 * A UUID of version 7 (RFC 9562). Random bytes are drawn for 256 UUIDs at once: one by one, they took
 * a twelfth of the time of a decision.
 */
export function newUuid(): string {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  const random = drawn.subarray(used, used + BYTES_PER_ID);
  used += BYTES_PER_ID;
  return v7({ random });
}
