import { DatabaseUnavailableError } from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { FailedQuery } from './failed-query.fixture.ts';
import { ChangeFault, outageText } from './manage-outage.ts';
import { printable } from './printable-error.ts';

const outage = new DatabaseUnavailableError('no answer within 3000 ms');
const textOf = (error: unknown, isReady = false) => outageText(error, async () => isReady);
const duringChange = (cause: unknown) => new ChangeFault('a change failed', { cause });

describe('a 503 of the management API', () => {
  test.each([
    [true, 'This takes too long.'],
    [false, 'The database is not answering.'],
  ])(
    'says of a change that it may have been made, and of a read nothing: ready %s',
    async (isReady, text) => {
      expect(await textOf(outage, isReady)).toMatch(text);
      expect(await textOf(outage, isReady)).not.toContain('may have been made');
      const ofChange = await textOf(duringChange(outage), isReady);
      expect(ofChange).toMatch(text);
      expect(ofChange).toContain('The change may have been made');
    },
  );

  test('says of a deadlock to run it again, and that nothing was changed', async () => {
    const sent = Object.assign(new Error('deadlock detected'), { code: '40P01' });
    const fault = printable(new FailedQuery('select 1', [], sent));
    for (const error of [fault, duringChange(fault)]) {
      expect(await textOf(error)).toContain('nothing was changed; run it again');
    }
  });

  test('is for no other error', async () => {
    const sent = Object.assign(new Error('duplicate key'), { code: '23505' });
    for (const error of [new Error('a bug'), printable(new FailedQuery('select 1', [], sent))]) {
      expect(await textOf(error)).toBeNull();
      expect(await textOf(duringChange(error))).toBeNull();
    }
  });
});
