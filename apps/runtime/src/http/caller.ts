import type { IncomingMessage } from 'node:http';
import { PROJECT_SECRET_HEADER } from '@ceiba/contract/sets';

/** The project secret as it was sent; empty without one, and where the header came in no usable form. */
export function secretOf({ headers }: IncomingMessage): string {
  const secret = headers[PROJECT_SECRET_HEADER];
  return typeof secret === 'string' ? secret : '';
}

/** The address that the call came from: of the host, or of a proxy before the Runtime. */
export const peerOf = ({ socket }: IncomingMessage) => socket.remoteAddress ?? '';
