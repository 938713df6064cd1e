import 'server-only';
import { randomUUID } from 'node:crypto';
import { headers } from 'next/headers';
import { cache } from 'react';
import { env } from '../env.ts';
import { clientAddress } from './client-address.ts';

/** Request origin, for the audit log and for limits. */
export const requestContext = cache(async () => ({
  clientAddress: clientAddress(await headers(), env().trustedProxyHops),
  requestId: randomUUID(),
}));
