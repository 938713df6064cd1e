import type { IncomingMessage } from 'node:http';
import { withoutCredentials } from '@ceiba/contract/redaction';
import { newUuid } from './new-uuid.ts';

export const REQUEST_ID_HEADER = 'x-request-id';

const USABLE = /^[A-Za-z0-9._:-]{1,128}$/;

/**
 * The caller's own id if it is short, plain and without a credential; otherwise a new UUID of version
 * 7. It goes into the log, the audit log and the response.
 */
export function requestIdOf(incoming: Pick<IncomingMessage, 'headers'>): string {
  const given = incoming.headers[REQUEST_ID_HEADER];
  const isUsable =
    typeof given === 'string' && USABLE.test(given) && withoutCredentials(given) === given;
  return isUsable ? given : newUuid();
}
