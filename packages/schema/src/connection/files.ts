/** The files of libpq that an address may name: services and passwords. */
import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type PostgresAddress, type PostgresHost, parsePostgresUrl } from '@ceiba/domain';

/**
 * Reads an address, and the service that it names.
 *
 * @throws Error for an address that is not valid, or a service that is not there
 */
export function readAddress(url: string): PostgresAddress {
  const address = parsed(url);
  const service = address.parameters.get('service');
  if (service === undefined) return address;
  const path = address.parameters.get('servicefile') ?? join(homedir(), '.pg_service.conf');
  return parsed(url, serviceOf(readFileSync(path, 'utf8'), service));
}

function parsed(url: string, service?: ReadonlyMap<string, string>): PostgresAddress {
  const address = parsePostgresUrl(url, service);
  if (address.kind === 'invalid') throw new Error(`the address of Postgres ${address.reason}`);
  return address;
}

/** @see https://www.postgresql.org/docs/current/libpq-pgservice.html */
export function serviceOf(file: string, service: string): ReadonlyMap<string, string> {
  const lines = file.split(/\r?\n/).map((line) => line.trim());
  const start = lines.indexOf(`[${service}]`);
  if (start === -1) throw new Error(`the service file has no service "${service}"`);
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line.startsWith('['));
  return new Map(
    rest
      .slice(0, end === -1 ? undefined : end)
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const split = line.indexOf('=');
        return [line.slice(0, split).trim(), line.slice(split + 1).trim()];
      }),
  );
}

/**
 * The password of a host: that of the address, else the one that its `passfile` has.
 *
 * @throws Error when others may read the file, which libpq ignores then
 */
export function passwordOf(
  { parameters }: PostgresAddress,
  { host, port }: PostgresHost,
  { user, database }: { user: string; database: string },
): string {
  const password = parameters.get('password');
  const path = parameters.get('passfile');
  if (password !== undefined || path === undefined) return password ?? '';
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    throw new Error('the file that passfile names is readable by others: chmod 600 it');
  }
  const place = [host || 'localhost', String(port), database, user];
  return passwordIn(readFileSync(path, 'utf8'), place) ?? '';
}

/**
 * The password of the first line `hostname:port:database:username:password` that matches.
 *
 * @see https://www.postgresql.org/docs/current/libpq-pgpass.html
 */
export function passwordIn(file: string, place: readonly string[]): string | null {
  for (const line of file.split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    const [hostname, port, database, username, ...password] = splitFields(line);
    if (password.length === 0) continue;
    const matches = [hostname, port, database, username].every(
      (field, index) => field === '*' || field === place[index],
    );
    if (matches) return password.join(':');
  }
  return null;
}

const splitFields = (line: string): string[] =>
  line.split(/(?<!\\):/).map((field) => field.replace(/\\(.)/g, '$1'));
