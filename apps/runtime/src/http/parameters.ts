import { invalidRequest } from './errors.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * A path parameter in lower case, so that a project has one name in Postgres and in Redis alike.
 *
 * @throws TransportError `invalid_request` that names the parameter
 */
export function parseUuid(name: string, text: string): string {
  const uuid = text.toLowerCase();
  if (!UUID.test(uuid)) throw invalidRequest(`"${name}" must be a UUID.`);
  return uuid;
}
