import { randomBytes } from 'node:crypto';
import { mintApiKey, mintInvitation, mintProjectSecret } from '@ceiba/domain';
import { describe, expect, it } from 'vitest';
import { createLogger, type Logger } from './log.ts';

const apiKey = mintApiKey(randomBytes);
const secret = mintProjectSecret(randomBytes);
const invitation = mintInvitation(randomBytes);

/** Everything that a logger wrote while `write` ran. */
function logged(write: (log: Logger) => void): string {
  const lines: string[] = [];
  write(
    createLogger({
      service: 'ceiba-test',
      level: 'trace',
      destination: { write: (line) => lines.push(line) },
    }),
  );
  expect(lines).not.toHaveLength(0);
  for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
  return lines.join('');
}

describe('a log line', () => {
  it('is one JSON object with an ISO time, a level by name and the service', () => {
    const line = JSON.parse(logged((log) => log.info({ requestId: 'r-1' }, 'key route')));
    expect(line).toMatchObject({
      level: 'info',
      service: 'ceiba-test',
      requestId: 'r-1',
      msg: 'key route',
    });
    expect(line.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it.each([
    ['the message', (log: Logger) => log.info(`key ${apiKey.plaintext} ${secret.plaintext}`)],
    [
      'an argument of the message',
      (log: Logger) => log.info('key %s, secret %s', apiKey.plaintext, secret.plaintext),
    ],
    [
      'the link of an invitation',
      (log: Logger) => log.info({ from: `/join#${invitation.plaintext}` }, 'x'),
    ],
    ['a field of its own name', (log: Logger) => log.info({ apiKey: apiKey.plaintext }, 'x')],
    ['a nested field', (log: Logger) => log.info({ body: { apiKey: apiKey.plaintext } }, 'x')],
    [
      'a field of another name',
      (log: Logger) => log.info({ requestId: secret.plaintext, path: `/?k=${apiKey.plaintext}` }),
    ],
    [
      'a deeply nested field',
      (log: Logger) => log.info({ a: { b: { c: [{ d: apiKey.plaintext }] } } }, 'x'),
    ],
    [
      'request headers',
      (log: Logger) =>
        log.info({
          request: {
            headers: {
              'x-service-project-secret': secret.plaintext,
              'x-api-key': apiKey.plaintext,
              authorization: `Bearer ${apiKey.plaintext}`,
            },
          },
        }),
    ],
    ["an error's message", (log: Logger) => log.error(new Error(`bad key ${apiKey.plaintext}`))],
    [
      "an error's cause",
      (log: Logger) =>
        log.error({
          err: new Error('lookup failed', { cause: new Error(`secret ${secret.plaintext}`) }),
        }),
    ],
    [
      "a driver's error with the statement's parameters",
      (log: Logger) =>
        log.error({
          err: Object.assign(new Error('duplicate key'), {
            code: '23505',
            detail: `Key (x)=(${apiKey.plaintext}) already exists.`,
            parameters: [apiKey.plaintext, secret.plaintext],
          }),
        }),
    ],
    [
      'a text with two side by side, of which one is escaped',
      (log: Logger) =>
        log.info({ path: `/${apiKey.plaintext}${secret.plaintext.replaceAll('_', '%5f')}` }, 'x'),
    ],
    [
      'JSON within JSON',
      (log: Logger) =>
        log.info(
          JSON.stringify({ a: JSON.stringify({ b: `\n"${secret.plaintext}` }) }).replaceAll(
            '_',
            '\\u005F',
          ),
        ),
    ],
    ["a child's bindings", (log: Logger) => log.child({ from: secret.plaintext }).warn('x')],
  ])('holds no credential of %s', (_way, write) => {
    const text = logged(write);
    expect(text).not.toContain(apiKey.plaintext);
    expect(text).not.toContain(secret.plaintext);
    expect(text).not.toContain(apiKey.plaintext.slice(14));
    expect(text).not.toContain(secret.plaintext.slice(21));
    expect(text).not.toContain(invitation.plaintext.slice(21));
  });

  it("holds no digest of an error's parameters", () => {
    const parameters = [apiKey.digest, secret.digest];
    const text = logged((log) =>
      log.error({ err: Object.assign(new Error('duplicate key'), { parameters }) }, 'x'),
    );
    expect(text).not.toContain(apiKey.digest.toString('hex'));
    expect(text).not.toMatch(/"(?:type":"Buffer|parameters)"/);
  });

  it("holds no parameter of an error's message or stack", () => {
    const parameters = ['Mobile app', apiKey.digest, 'ops@example.com'];
    const error = new Error(
      `Failed query: insert into api_keys values ($1)\nparams: ${parameters}`,
    );
    const text = logged((log) => log.error({ err: new Error('outer', { cause: error }) }, 'x'));
    expect(text).toContain('insert into api_keys');
    expect(text).not.toContain('Mobile app');
    expect(text).not.toContain('ops@example.com');
    expect(text).not.toContain('\ufffd');
  });

  it.each([
    ['an error under another name than err', (error: Error) => ({ error })],
    ['a message', ({ message }: Error) => ({ message })],
    ['a stack', ({ stack }: Error) => ({ stack })],
  ])('holds no parameter of %s, and keeps the other fields', (_where, factsOf) => {
    const error = Object.assign(new Error('Failed query: select $1\nparams: a "quoted"\nname'), {
      params: ['a "quoted"\nname'],
    });
    const line = JSON.parse(logged((log) => log.error({ ...factsOf(error), last: 1 }, 'x')));
    expect(JSON.stringify(line)).toContain('Failed query: select $1');
    expect(JSON.stringify(line)).not.toContain('quoted');
    expect(line).toMatchObject({ last: 1, msg: 'x' });
  });

  it('shows an address without its password', () => {
    const url = 'postgres://ceiba:hunter2@db.internal:5432/ceiba';
    const text = logged((log) =>
      log.error({ err: new Error(`cannot reach ${url}`), databaseUrl: url }, 'down'),
    );
    expect(text).not.toContain('hunter2');
    expect(text).toContain('db.internal:5432');
  });

  it("keeps an error's name, code and stack", () => {
    const error = Object.assign(new RangeError('out of range'), { code: '22003' });
    const line = JSON.parse(logged((log) => log.error({ err: error }, 'internal error')));
    expect(line.err).toMatchObject({ type: 'RangeError', message: 'out of range', code: '22003' });
    expect(line.err.stack).toContain('log.test.ts');
  });
});
