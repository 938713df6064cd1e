import { inspect } from 'node:util';
import { tellFault } from '@ceiba/schema';
import { describe, expect, it, vi } from 'vitest';
import { FailedQuery } from './failed-query.fixture.ts';
import { printable } from './fault.ts';
import { log } from './log.ts';

vi.mock('server-only', () => ({}));

const SECRET = 'a passphrase\nthat was typed';

function failedQuery(): Error {
  const cause = Object.assign(new Error('duplicate key value'), {
    code: '23505',
    detail: `Key (email)=(${SECRET}) already exists.`,
  });
  return new FailedQuery('insert into users values ($1)', [SECRET], cause);
}

function lineOf(facts: Record<string, unknown>): string {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    log.error('test', facts);
    return String(write.mock.calls[0]?.[0]);
  } finally {
    write.mockRestore();
  }
}

describe('a statement that failed', () => {
  it('tells the log its text, its code and where it was, and no value', () => {
    expect(tellFault(failedQuery())).toMatchObject({
      message: 'Failed query: insert into users values ($1)',
      stack: expect.stringContaining('fault.test.ts'),
      cause: { message: 'duplicate key value', code: '23505' },
    });
    expect(JSON.stringify(tellFault(failedQuery()))).not.toContain('passphrase');
  });

  it('leaves no value in a log line, however it is handed over', () => {
    const fault = failedQuery();
    for (const facts of [{ fault }, { fault: fault.stack }, { message: fault.message }]) {
      const line = lineOf(facts);
      expect(line).toContain('Failed query: insert into users');
      expect(line).not.toContain('passphrase');
      expect(line).not.toContain('was typed');
    }
  });

  it('holds no value once it is printable, and still tells its code', () => {
    const printed = inspect(printable(failedQuery()), { depth: null, showHidden: true });
    expect(printed).toContain('Failed query: insert into users values ($1)');
    expect(printed).toContain('23505');
    expect(printed).not.toContain('passphrase');
  });

  it('is the only fault that is made anew', () => {
    const other = new Error('something else');
    expect(printable(other)).toBe(other);
  });
});
