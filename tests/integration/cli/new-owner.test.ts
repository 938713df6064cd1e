import type * as passwords from '@ceiba/domain/password';
import { expect, test, vi } from 'vitest';
import { useDesk } from './support.ts';

const hashing = vi.hoisted(() => ({ observe: async () => {} }));
vi.mock('@ceiba/domain/password', async (original) => {
  const actual = await original<typeof passwords>();
  const hashPassword: typeof actual.hashPassword = async (password) => {
    await hashing.observe();
    return actual.hashPassword(password);
  };
  return { ...actual, hashPassword };
});

const desk = useDesk();

test('the password of a new owner is hashed outside of a transaction, which may not be idle for long', async () => {
  const states: string[] = [];
  hashing.observe = async () => {
    const rows = await desk.db.sql<{ state: string }[]>`
      select state from pg_stat_activity
      where datname = current_database() and application_name = 'ceiba-cli'`;
    states.push(...rows.map(({ state }) => state));
  };
  expect(await desk.apply('owner: { email: new@example.com }')).toMatchObject({ code: 0 });
  expect(new Set(states)).toEqual(new Set(['idle']));
});
