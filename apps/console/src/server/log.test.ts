import { randomBytes } from 'node:crypto';
import { mintApiKey, mintProjectSecret } from '@ceiba/domain';
import { afterEach, expect, it, vi } from 'vitest';
import { FailedQuery } from './failed-query.fixture.ts';

vi.mock('server-only', () => ({}));
const lines: string[] = [];
vi.mock('@ceiba/process/log', async (original) => {
  const actual = await original<typeof import('@ceiba/process/log')>();
  const destination = { write: (line: string) => lines.push(line) };
  const createLogger: typeof actual.createLogger = (options) =>
    actual.createLogger({ ...options, destination });
  return { ...actual, createLogger };
});
const { log } = await import('./log.ts');

afterEach(() => lines.splice(0));

it('redacts a key, a project secret and the password of an address by their shape', () => {
  const [key, secret] = [
    mintApiKey(randomBytes).plaintext,
    mintProjectSecret(randomBytes).plaintext,
  ];
  const url = 'postgres://ceiba:hunter2@db.internal:5432/ceiba';
  log.error({ err: new Error(`${key} at ${url}`), note: secret, to: [url, key] }, `sent ${secret}`);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'error', service: 'ceiba-console' });
  for (const text of [key, secret, 'hunter2']) expect(lines[0]).not.toContain(text);
  expect(lines[0]).toContain('db.internal:5432');
});

it('shows the text of a failed statement, but no value of it', () => {
  const cause = Object.assign(new Error('duplicate key value'), {
    code: '23505',
    detail: 'Key (email)=(a passphrase) already exists.',
  });
  const error = new FailedQuery(
    'insert into users values ($1)',
    ['a passphrase\nthat was typed'],
    cause,
  );
  for (const facts of [{ err: error }, { error }, { stack: error.stack }]) log.error(facts, 'x');
  log.error(error.message);
  expect(lines).toHaveLength(4);
  for (const line of lines) {
    expect(line).toContain('Failed query: insert into users');
    expect(line).not.toContain('passphrase');
    expect(line).not.toContain('was typed');
  }
});
