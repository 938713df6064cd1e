import { env } from '../env.ts';
import { recordPeerAddresses } from './peer-address.ts';

/**
 * Validates the settings and starts to record the addresses of peers.
 *
 * @throws an error that names every invalid setting
 */
export function start(): void {
  env();
  recordPeerAddresses();
}
