import { env } from '../env.ts';
import { recordPeerAddresses } from './peer-address.ts';

/** Refuses to start with settings that cannot work, and names each of them. */
export function start(): void {
  env();
  recordPeerAddresses();
}
