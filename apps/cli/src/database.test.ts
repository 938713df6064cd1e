import { UnconfirmedCommitError } from '@ceiba/schema';
import { expect, it, test } from 'vitest';
import { asChange, hostOf, withExplainedErrors } from './database.ts';
import { MAYBE_CHANGED, withRemedy } from './errors.ts';

it.each([
  ['postgres://db.example/app', 'db.example'],
  ['postgres://user:hunter2@db.example:5432/app?sslmode=require', 'db.example:5432'],
  ['postgresql://user:a%40b%2Fc@one:5432,two:5432/app', 'one:5432,two:5432'],
  ['redis+sentinel://:hunter2@one:26379,two:26379/mymaster', 'one:26379,two:26379'],
  ['rediss://cache.example', 'cache.example'],
])('hostOf(%s) shows the hosts and their ports', (url, shown) => {
  expect(hostOf(url)).toBe(shown);
});

it.each([
  'postgres://user:hunter2@secret@db.example/app',
  'postgres://user:hunter2/secret@db.example/app',
  'postgres://user:hunter2?secret@db.example/app',
  'postgres://user:hunter2#secret@db.example/app',
  'postgres://db.example/app?password=hunter2@secret',
])('hostOf(%s) shows no part of an address whose password is not encoded', (url) => {
  expect(hostOf(url)).not.toMatch(/hunter2|secret/);
});

test('the secret of a change that a standby did not confirm is lost', async () => {
  const address = { url: 'postgres://db.example/app', source: 'DATABASE_URL' };
  const change = withExplainedErrors(address, () =>
    asChange(Promise.reject(new UnconfirmedCommitError())),
  );
  const reported = withRemedy(change, 'the key is lost.');
  await expect(reported).rejects.toThrow(/made the change.*If it was made, the key is lost\./);
  await expect(reported).rejects.not.toThrow(MAYBE_CHANGED);
});
