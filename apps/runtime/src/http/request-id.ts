import type { IncomingMessage } from 'node:http';
import { v7 as uuidV7 } from 'uuid';

export const REQUEST_ID_HEADER = 'x-request-id';

const USABLE = /^[A-Za-z0-9._:-]{1,128}$/;

/** The caller's own id where it is short and plain, else a new one (a UUID of version 7). */
export function requestIdOf(incoming: IncomingMessage): string {
  const given = incoming.headers[REQUEST_ID_HEADER];
  return typeof given === 'string' && USABLE.test(given) ? given : uuidV7();
}
