import { describe, expect, it } from 'vitest';
import type { ServiceStatus } from '#server/status.ts';
import { headline } from './headline.ts';

const service = (
  name: ServiceStatus['name'],
  down: readonly string[],
  answered = true,
): ServiceStatus => ({
  name,
  purpose: '',
  answered,
  checks: ['database', 'redis', 'schema'].map((check) => ({
    name: check,
    state: !answered ? 'unknown' : down.includes(check) ? 'unavailable' : 'ok',
  })),
  sha: null,
  tookMs: 1,
});

describe('the headline of the status page', () => {
  it.each([
    [[], [], 'Everything is working.'],
    [['database'], [], 'The database is unavailable.'],
    [['database'], ['database', 'redis'], 'The database and Redis are unavailable.'],
    [[], ['redis'], 'Redis is unavailable.'],
    [[], ['schema'], 'The database lacks migrations: run ceiba migrate.'],
    [['database'], ['schema'], 'The database lacks migrations: run ceiba migrate.'],
  ])('with %j down for the console and %j for the Runtime is "%s"', (console_, runtime, says) => {
    expect(headline([service('Console', console_), service('Runtime', runtime)])).toBe(says);
  });

  it('names a Runtime that does not answer, and what else is down', () => {
    const silent = service('Runtime', [], false);
    expect(headline([service('Console', []), silent])).toBe('The Runtime is not answering.');
    expect(headline([service('Console', ['database']), silent])).toBe(
      'The Runtime is not answering. The database is unavailable.',
    );
  });
});
