import type { IncomingMessage } from 'node:http';
import { withoutCredentials } from '@ceiba/process/log';
import { newUuid } from '../new-uuid.ts';

export const REQUEST_ID_HEADER = 'x-request-id';

const USABLE = /^[A-Za-z0-9._:-]{1,128}$/;

/**
 * The caller's own id where it is short, plain and holds no credential, else a new one (a UUID of
 * version 7): it goes into the log, the audit log and the answer.
 */
export function requestIdOf(incoming: IncomingMessage): string {
  const given = incoming.headers[REQUEST_ID_HEADER];
  const isUsable =
    typeof given === 'string' && USABLE.test(given) && withoutCredentials(given) === given;
  return isUsable ? given : newUuid();
}
