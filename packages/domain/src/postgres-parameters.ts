/**
 * What Ceiba does with a connection parameter of libpq.
 *
 * - `obeyed`: Ceiba does what it asks.
 * - `ignored`: leaving it out weakens nothing.
 *
 * A value that `accepts` does not match is refused at start, with the reason: it has no meaning, or
 * asks for something that Ceiba does not have.
 */
interface Treatment {
  readonly is: 'obeyed' | 'ignored';
  readonly accepts?: RegExp;
  readonly reason?: string;
}

const OBEYED: Treatment = { is: 'obeyed' };
const IGNORED: Treatment = { is: 'ignored' };

const oneOf = (is: Treatment['is'], ...values: string[]): Treatment => ({
  is,
  accepts: new RegExp(`^(${values.join('|')})$`),
  reason: `must be ${values.join(', ').replace(/, ([^,]*)$/, ' or $1')}`,
});
const wholeNumber = (is: Treatment['is']): Treatment => ({
  is,
  accepts: /^\s*-?\d{1,9}\s*$/,
  reason: 'must be a whole number',
});
const refusedUnless = (accepts: RegExp, reason: string): Treatment => ({
  is: 'ignored',
  accepts,
  reason,
});
const NO_SIGN_IN = 'asks for a way to sign in that Ceiba does not have: give a password instead';
const NEVER = /^$/;
const TLS_VERSIONS = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'];

/**
 * Every connection parameter of libpq 18, and `servicefile` of libpq 19.
 *
 * @see https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS
 */
export const POSTGRES_PARAMETERS = {
  host: OBEYED,
  hostaddr: OBEYED,
  port: OBEYED,
  dbname: OBEYED,
  user: OBEYED,
  password: OBEYED,
  passfile: OBEYED,
  require_auth: refusedUnless(NEVER, 'asks Ceiba to refuse other ways to sign in, which it cannot'),
  channel_binding: refusedUnless(
    /^(disable|prefer)$/,
    'asks for channel binding, which Ceiba does not have: remove it, and set sslmode=verify-full',
  ),
  /** An upper bound: Ceiba waits for a second, and tries again. */
  connect_timeout: wholeNumber('obeyed'),
  /** Always UTF8. */
  client_encoding: IGNORED,
  options: OBEYED,
  application_name: OBEYED,
  /** There always is a name. */
  fallback_application_name: IGNORED,
  keepalives: wholeNumber('obeyed'),
  keepalives_idle: wholeNumber('obeyed'),
  /** Each statement has a deadline, after which its connection is replaced. */
  keepalives_interval: IGNORED,
  keepalives_count: IGNORED,
  tcp_user_timeout: IGNORED,
  replication: refusedUnless(
    /^(false|off|no|0)$/,
    'asks for a connection for replication, over which no key can be checked',
  ),
  gssencmode: refusedUnless(
    /^(disable|prefer)$/,
    'asks for encryption by GSSAPI, which Ceiba does not have: use sslmode=verify-full',
  ),
  sslmode: oneOf('obeyed', 'disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'),
  requiressl: oneOf('obeyed', '0', '1'),
  sslnegotiation: oneOf('obeyed', 'postgres', 'direct'),
  /** Servers do not offer it any more. */
  sslcompression: IGNORED,
  sslcert: OBEYED,
  sslkey: {
    is: 'obeyed',
    accepts: /^(?![A-Za-z0-9_-]{2,}:)/,
    reason: 'names a key in an engine, which Ceiba cannot use: name a file',
  },
  sslkeylogfile: IGNORED,
  sslpassword: OBEYED,
  sslcertmode: {
    is: 'obeyed',
    accepts: /^(disable|allow)$/,
    reason: 'must be disable or allow: Ceiba cannot see whether the server asked for a certificate',
  },
  sslrootcert: OBEYED,
  sslcrl: OBEYED,
  sslcrldir: OBEYED,
  sslsni: oneOf('obeyed', '0', '1'),
  requirepeer: refusedUnless(
    NEVER,
    'asks for the operating-system user of the server, which Ceiba cannot see',
  ),
  ssl_min_protocol_version: oneOf('obeyed', ...TLS_VERSIONS),
  ssl_max_protocol_version: oneOf('obeyed', ...TLS_VERSIONS),
  min_protocol_version: refusedUnless(/^3\.0$/, 'must be 3.0, the protocol that Ceiba speaks'),
  max_protocol_version: IGNORED,
  krbsrvname: IGNORED,
  gsslib: IGNORED,
  gssdelegation: IGNORED,
  scram_client_key: refusedUnless(NEVER, NO_SIGN_IN),
  scram_server_key: refusedUnless(NEVER, NO_SIGN_IN),
  service: OBEYED,
  servicefile: OBEYED,
  target_session_attrs: refusedUnless(
    /^(any|read-write|primary|prefer-standby)$/,
    'asks for a server that takes no changes: Ceiba always uses the primary',
  ),
  /** One of the hosts is the primary, whatever the order. */
  load_balance_hosts: oneOf('ignored', 'disable', 'random'),
  oauth_issuer: refusedUnless(NEVER, NO_SIGN_IN),
  oauth_client_id: refusedUnless(NEVER, NO_SIGN_IN),
  oauth_client_secret: refusedUnless(NEVER, NO_SIGN_IN),
  oauth_scope: refusedUnless(NEVER, NO_SIGN_IN),
} as const satisfies Record<string, Treatment>;

export type PostgresParameter = keyof typeof POSTGRES_PARAMETERS;

export const isPostgresParameter = (name: string): name is PostgresParameter =>
  Object.hasOwn(POSTGRES_PARAMETERS, name);

/** Why a value is refused; null where it is not. An empty one counts as absent, as libpq has it. */
export function refusalOf(name: PostgresParameter, value: string): string | null {
  const { accepts, reason }: Treatment = POSTGRES_PARAMETERS[name];
  return value === '' || accepts === undefined || accepts.test(value) ? null : (reason ?? '');
}
