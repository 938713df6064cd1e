import { invalidRequest } from './errors.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

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
