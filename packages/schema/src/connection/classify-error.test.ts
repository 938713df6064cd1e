import postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import { classifyError, type ErrorKind } from './classify-error.ts';
import { NoLeaseError, NotPrimaryError, UnconfirmedCommitError } from './errors.ts';
import { NoAnswerError } from './within.ts';

const withCode = (code: string) => Object.assign(new Error('failed'), { code });
/** As the driver creates it; its types declare no constructor. */
const answered = (code: string, severity = 'ERROR'): Error =>
  Reflect.construct(postgres.PostgresError, [{ code, severity, message: 'refused' }]);

const SQL_STATES: Record<Exclude<ErrorKind, 'internal'>, string[]> = {
  statement: ['22P02', '23505', '23503', '40001', '40P01', '42501', '42P01', 'P0001', 'XX001'],
  busy: ['57014', '55P03'],
  connection: [
    ...['08000', '08003', '08006', '08P01'], // connection exceptions
    ...['25006', '25P02', '25P03'], // a standby; a failed transaction
    ...['28000', '28P01', '3D000'], // refused logins
    ...['53100', '53200', '53300'], // disk, memory, connections
    ...['57P01', '57P02', '57P03', '57P04', '57P05'], // going down, crashed, starting up
    ...['58000', '58030'], // the server's own system calls
  ],
};

const CONNECTION_CODES = [
  ...['CONNECT_TIMEOUT', 'CONNECTION_CLOSED', 'CONNECTION_ENDED', 'CONNECTION_DESTROYED'],
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOENT', 'EACCES'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL', 'EMFILE', 'EPROTO'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL'],
  ...['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'],
  ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'HOSTNAME_MISMATCH', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ...['ERR_SSL_WRONG_VERSION_NUMBER', 'SASL_SIGNATURE_MISMATCH'],
];

describe('an error of Postgres', () => {
  for (const [kind, codes] of Object.entries(SQL_STATES)) {
    it.each(codes)(`%s is classified as ${kind}`, (code) => {
      expect(classifyError(answered(code))).toBe(kind);
    });
  }

  it.each(['FATAL', 'PANIC'])(
    'of severity %s ends the connection whatever its code',
    (severity) => {
      expect(classifyError(answered('42501', severity))).toBe('connection');
    },
  );

  it('is recognised when a library wrapped it', () => {
    expect(classifyError(new Error('Failed query', { cause: answered('57P01') }))).toBe(
      'connection',
    );
  });

  it('concerns the connection when the server is in recovery or stays silent', () => {
    expect(classifyError(new NotPrimaryError('in recovery'))).toBe('connection');
    expect(classifyError(new NoAnswerError('no answer within 5 s'))).toBe('connection');
  });
});

describe('a server that cannot confirm', () => {
  it.each([
    new NoLeaseError('no server has acknowledged a commit lately'),
    new UnconfirmedCommitError('no standby confirmed the commit'),
  ])('is busy: %s', (error) => {
    expect(classifyError(error)).toBe('busy');
  });
});

describe('an error of the driver, a socket, DNS or TLS', () => {
  it.each(CONNECTION_CODES)('%s concerns the connection', (code) => {
    expect(classifyError(withCode(code))).toBe('connection');
    expect(classifyError(new Error('Failed query', { cause: withCode(code) }))).toBe('connection');
  });
});

describe('a bug', () => {
  it.each([
    new TypeError('x is not a function'),
    withCode('ERR_INVALID_ARG_TYPE'),
    withCode('UNDEFINED_VALUE'),
    'a string',
    undefined,
  ])('is not classified as an outage: %s', (error) => {
    expect(classifyError(error)).toBe('internal');
  });
});
