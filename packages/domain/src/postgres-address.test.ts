import { describe, expect, it } from 'vitest';
import { type PostgresAddress, parsePostgresUrl } from './postgres-address.ts';
import { POSTGRES_PARAMETERS } from './postgres-parameters.ts';

function addressOf(url: string, service?: ReadonlyMap<string, string>): PostgresAddress {
  const address = parsePostgresUrl(url, service);
  if (address.kind === 'invalid') throw new Error(address.reason);
  return address;
}

const reasonOf = (url: string) => {
  const address = parsePostgresUrl(url);
  return address.kind === 'invalid' ? address.reason : null;
};

/** As `host|hostaddr|port`. */
const hostsOf = (url: string) =>
  addressOf(url).hosts.map(({ host, hostaddr, port }) => `${host}|${hostaddr ?? ''}|${port}`);

const parametersOf = (url: string) => Object.fromEntries(addressOf(url).parameters);

/** @see https://www.postgresql.org/docs/18/libpq-connect.html#LIBPQ-PARAMKEYWORDS */
const DOCUMENTED = `
  host hostaddr port dbname user password passfile require_auth channel_binding connect_timeout
  client_encoding options application_name fallback_application_name keepalives keepalives_idle
  keepalives_interval keepalives_count tcp_user_timeout replication gssencmode sslmode requiressl
  sslnegotiation sslcompression sslcert sslkey sslkeylogfile sslpassword sslcertmode sslrootcert
  sslcrl sslcrldir sslsni requirepeer ssl_min_protocol_version ssl_max_protocol_version
  min_protocol_version max_protocol_version krbsrvname gsslib gssdelegation scram_client_key
  scram_server_key service servicefile target_session_attrs load_balance_hosts oauth_issuer
  oauth_client_id oauth_client_secret oauth_scope`
  .trim()
  .split(/\s+/);

describe('an address of Postgres', () => {
  it.each([
    ['postgres://db', ['db||5432']],
    ['postgresql://user@db:5433/app', ['db||5433']],
    ['postgres://[::1]/app', ['::1||5432']],
    ['postgres://u:p@[2001:db8::1]:5433/app', ['2001:db8::1||5433']],
    ['postgres://[fe80::1%25eth0]/app', ['fe80::1%eth0||5432']],
    ['postgres://one,two:5433,[::1]:5434/app', ['one||5432', 'two||5433', '::1||5434']],
    ['postgres://%2Fvar%2Frun%2Fpostgresql/app', ['/var/run/postgresql||5432']],
    ['postgres:///app?host=/var/run/postgresql&port=6432', ['/var/run/postgresql||6432']],
    ['postgres:///app?host=one,two&port=1,2', ['one||1', 'two||2']],
    ['postgres://db/app?hostaddr=192.0.2.1', ['db|192.0.2.1|5432']],
    ['postgres:///app', ['||5432']],
  ])('%s names its hosts', (url, hosts) => {
    expect(hostsOf(url)).toEqual(hosts);
  });

  it('has percent-encoding in every part, and a plus is a plus', () => {
    expect(parametersOf('postgres://us%40er:p%25+%2Fw%3A:x@db/a%20b')).toEqual({
      user: 'us@er',
      password: 'p%+/w::x',
      dbname: 'a b',
      sslmode: 'prefer',
    });
  });

  it('has a later parameter win over what precedes it, and over its service', () => {
    const service = new Map([
      ['user', 'service'],
      ['port', '6432'],
    ]);
    const { hosts, parameters } = addressOf('postgres://one@db/app?user=two', service);
    expect(parameters.get('user')).toBe('two');
    expect(hosts).toEqual([{ host: 'db', hostaddr: null, port: 6432 }]);
  });

  it('that Neon prints, without the channel binding, is one', () => {
    expect(parametersOf('postgres://u:p@ep-1.eu.neon.tech/db?sslmode=require')).toMatchObject({
      sslmode: 'require',
    });
  });

  it.each([
    ['postgres://u:100%@db/app', 'has a % in its password'],
    ['postgres://u:100%zz@db/app', 'write a % as %25'],
    ['postgres://u:%00@db/app', 'has a % in its password'],
    ['postgres://u:hunter@2@db/app', 'an @ is %40'],
    ['postgres://u:hunter/2@db/app', 'a / is %2F'],
    ['postgres://db:0/app', 'a host or port that cannot be read'],
    ['postgres://db:65536/app', 'a host or port that cannot be read'],
    ['postgres://::1/app', 'an IPv6 address needs brackets'],
    ['postgres://db/app?sslmode', 'not name=value'],
    ['postgres://db/app?sslmode=a=b', 'not name=value'],
    ['postgres://db/app?search_path=x', 'the parameter search_path, which libpq does not know'],
    ['postgres://one,two/app?port=1,2,3', 'port must have one entry'],
    ['postgres://one,two/app?hostaddr=192.0.2.1', 'hostaddr must have as many entries'],
    ['mysql://db', 'must be an address such as'],
  ])('%s is refused with a reason that does not repeat the password', (url, reason) => {
    expect(reasonOf(url)).toContain(reason);
    expect(reasonOf(url)).not.toMatch(/hunter|100/);
  });
});

describe('the parameters', () => {
  it('are all that libpq documents', () => {
    expect(Object.keys(POSTGRES_PARAMETERS).sort()).toEqual([...DOCUMENTED].sort());
  });

  it.each([
    'gssencmode=require',
    'channel_binding=require',
    'require_auth=scram-sha-256',
    'requirepeer=postgres',
    'sslcertmode=require',
    'min_protocol_version=3.2',
    'replication=database',
    'target_session_attrs=standby',
    'sslmode=sure',
    'sslkey=pkcs11:key',
    'scram_client_key=abc',
    'ssl_min_protocol_version=SSLv3',
    'connect_timeout=soon',
    'sslmode=require&sslnegotiation=direct&sslrootcert=system',
    'sslmode=prefer&sslnegotiation=direct',
    'sslmode=verify-ca',
    'sslmode=verify-ca&sslrootcert=',
    'sslmode=prefer&sslrootcert=/ca.crt',
  ])('%s is refused by its name, because it asks for what Ceiba does not have', (query) => {
    expect(reasonOf(`postgres://db/app?${query}`)).toContain(query.split(/[=&]/)[0]);
  });

  it.each([
    'gssencmode=prefer',
    'channel_binding=prefer',
    'sslcompression=0',
    'sslcompression=1',
    'target_session_attrs=read-write',
    'load_balance_hosts=random',
    'fallback_application_name=x',
    'client_encoding=auto',
    'sslkeylogfile=/tmp/keys',
    'tcp_user_timeout=1000',
    'replication=false',
    'krbsrvname=postgres',
    'require_auth=',
    'sslmode=require&',
  ])('%s is accepted, because leaving it out weakens nothing', (query) => {
    expect(reasonOf(`postgres://db/app?${query}`)).toBeNull();
  });

  it.each([
    ['', 'prefer'],
    ['ssl=true', 'require'],
    ['requiressl=1', 'require'],
    ['requiressl=0', 'prefer'],
    ['sslrootcert=system', 'verify-full'],
  ])('"%s" means sslmode=%s', (query, mode) => {
    expect(parametersOf(`postgres://db/app?${query || 'keepalives=1'}`).sslmode).toBe(mode);
  });
});
