import { UUID } from '@ceiba/contract/sets';
import { invalidRequest } from './errors.ts';

/**
 * A path parameter in lower case: Redis keys, unlike Postgres, distinguish the case of a UUID.
 *
 * @throws TransportError `invalid_request` that names the parameter
 */
export function parseUuid(name: string, text: string): string {
  const uuid = text.toLowerCase();
  if (!UUID.test(uuid)) throw invalidRequest(`"${name}" must be a UUID.`);
  return uuid;
}
