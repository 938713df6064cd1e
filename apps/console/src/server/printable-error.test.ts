import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { FailedQuery } from './failed-query.fixture.ts';
import { printable } from './printable-error.ts';

const SECRET = 'a passphrase\nthat was typed';

function failedQuery(): Error {
  const cause = Object.assign(new Error('duplicate key value'), {
    code: '23505',
    detail: `Key (email)=(${SECRET}) already exists.`,
  });
  return new FailedQuery('insert into users values ($1)', [SECRET], cause);
}

describe('a failed statement', () => {
  it('is printable without its values, with its code', () => {
    const printed = inspect(printable(failedQuery()), { depth: null, showHidden: true });
    expect(printed).toContain('Failed query: insert into users values ($1)');
    expect(printed).toContain('23505');
    expect(printed).not.toContain('passphrase');
  });

  it('is the only error that is copied', () => {
    const other = new Error('something else');
    expect(printable(other)).toBe(other);
  });
});
