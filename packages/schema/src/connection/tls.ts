import { readdirSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { type ConnectionOptions, checkServerIdentity, type SecureVersion } from 'node:tls';
import type { PostgresAddress, PostgresHost, PostgresParameter } from '@ceiba/domain';

/** How a connection is encrypted: not at all, if the server can, or always. */
export interface Encryption {
  use: 'never' | 'if_offered' | 'always';
  /** TLS from the first byte, without asking the server first. */
  isDirect: boolean;
  options: ConnectionOptions;
}

const UNENCRYPTED: Encryption = { use: 'never', isDirect: false, options: {} };

/**
 * The ways in which libpq connects with an `sslmode`, in order: it tries the second one where the
 * server refuses the first at sign-in, as `pg_hba.conf` may ask it to.
 *
 * @throws Error when a certificate cannot be read, which can be temporary
 * @see https://www.postgresql.org/docs/current/libpq-ssl.html
 */
export function encryptionsOf(
  { parameters }: PostgresAddress,
  host: PostgresHost,
): readonly [Encryption, ...Encryption[]] {
  const mode = parameters.get('sslmode');
  if (mode === 'disable' || isSocket(host)) return [UNENCRYPTED];
  const isDirect = parameters.get('sslnegotiation') === 'direct';
  const encrypted = { isDirect, options: optionsOf(parameters, host) };
  if (mode === 'allow') return [UNENCRYPTED, { ...encrypted, use: 'always' }];
  if (mode === 'prefer') return [{ ...encrypted, use: 'if_offered' }, UNENCRYPTED];
  return [{ ...encrypted, use: 'always' }];
}

/** A folder, or a name in Linux's abstract namespace. */
export const isSocket = ({ host }: PostgresHost): boolean => /^[/@]/.test(host);

function optionsOf(
  parameters: ReadonlyMap<PostgresParameter, string>,
  { host, hostaddr }: PostgresHost,
): ConnectionOptions {
  const file = (name: PostgresParameter) => {
    const path = parameters.get(name);
    return path === undefined ? undefined : readFileSync(path, 'utf8');
  };
  const mode = parameters.get('sslmode');
  const rootCertificate = parameters.get('sslrootcert');
  const name = host || hostaddr || 'localhost';
  // As libpq does for the sake of old addresses: with a root certificate, `require` is `verify-ca`.
  const isVerified = mode?.startsWith('verify') || (mode === 'require' && rootCertificate);
  const hasCertificate = parameters.get('sslcertmode') !== 'disable';
  return withoutAbsent({
    ca: rootCertificate === 'system' ? undefined : file('sslrootcert'),
    cert: hasCertificate ? file('sslcert') : undefined,
    key: hasCertificate ? file('sslkey') : undefined,
    passphrase: parameters.get('sslpassword'),
    crl: revocationLists(file('sslcrl'), parameters.get('sslcrldir')),
    minVersion: (parameters.get('ssl_min_protocol_version') ?? 'TLSv1.2') as SecureVersion,
    maxVersion: parameters.get('ssl_max_protocol_version') as SecureVersion | undefined,
    servername: parameters.get('sslsni') === '0' || isIP(name) ? undefined : name,
    rejectUnauthorized: Boolean(isVerified),
    checkServerIdentity: (_: string, certificate: Parameters<typeof checkServerIdentity>[1]) =>
      mode === 'verify-full' ? checkServerIdentity(name, certificate) : undefined,
  });
}

function revocationLists(file: string | undefined, folder: string | undefined) {
  const lists = [
    ...(file === undefined ? [] : [file]),
    ...(folder === undefined
      ? []
      : readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))),
  ];
  return lists.length === 0 ? undefined : lists;
}

/** An option of Node's that is undefined can mean something else than one that is absent. */
const withoutAbsent = (
  options: { [Key in keyof ConnectionOptions]: ConnectionOptions[Key] | undefined },
) =>
  Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as ConnectionOptions;
