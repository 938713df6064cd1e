import { env } from '../env.ts';
import { startAlerts } from './alerts/start.ts';
import { recordPeerAddresses } from './peer-address.ts';

/**
 * Validates the settings, starts to record the addresses of peers, and to detect and send alerts.
 *
 * @throws an error that names every invalid setting
 */
export function start(): void {
  env();
  recordPeerAddresses();
  startAlerts();
}
