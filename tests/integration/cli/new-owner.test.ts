import type * as passwords from '@ceiba/domain/password';
import { afterAll, expect, test, vi } from 'vitest';

let observe = async () => {};
// The files of this project share what they import, so the changed module may neither come too late nor
// stay.
vi.resetModules();
vi.doMock('@ceiba/domain/password', async (original) => {
  const actual = await original<typeof passwords>();
  const hashPassword: typeof actual.hashPassword = async (password) => {
    await observe();
    return actual.hashPassword(password);
  };
  return { ...actual, hashPassword };
});
afterAll(() => {
  vi.doUnmock('@ceiba/domain/password');
  vi.resetModules();
});

const { useDesk } = await import('./support.ts');
const desk = useDesk();

test('the password of a new owner is hashed outside of a transaction, which may not be idle for long', async () => {
  const states: string[] = [];
  observe = async () => {
    const rows = await desk.db.sql<{ state: string }[]>`
      select state from pg_stat_activity
      where datname = current_database() and application_name = 'ceiba-cli'`;
    states.push(...rows.map(({ state }) => state));
  };
  expect(await desk.apply('owner: { email: new@example.com }')).toMatchObject({ code: 0 });
  expect(new Set(states)).toEqual(new Set(['idle']));
});
