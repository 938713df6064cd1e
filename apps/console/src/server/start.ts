import { env } from '../env.ts';
import { recordPeerAddresses } from './peer-address.ts';

/** Fails if settings are invalid, with an error that names each of them. */
export function start(): void {
  env();
  recordPeerAddresses();
}
