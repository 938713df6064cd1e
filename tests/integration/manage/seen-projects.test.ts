import { randomBytes } from 'node:crypto';
import { apply, exportFile, runOperation } from '@ceiba/manage';
import { expect, test } from 'vitest';
import { byToken, type MadeToken, makeToken } from '../schema/access-token/support.ts';
import { makeOwner, makeProject, useBench } from '../schema/support.ts';

const bench = useBench();

function callOf(token: MadeToken) {
  const by = { kind: 'user', ...token.user } as const;
  return { ctx: byToken(bench.ctx, token), db: bench.db, by, random: randomBytes };
}

test('an export of one’s own address without projects says that there is no project to see', async () => {
  const token = await makeToken(bench, await makeOwner(bench.ctx));
  const owner = token.user.email;
  await expect(runOperation(exportFile, callOf(token), { owner })).rejects.toMatchObject({
    status: 404,
    message: `There is no project of ${owner} that you may see.`,
  });
});

test('a token for certain projects finds no other of its user, whether or not there is one of that name', async () => {
  const { projectId, ownerId } = await makeProject(bench.ctx);
  const other = await makeProject(bench.ctx, ownerId);
  const token = await makeToken(bench, ownerId, { projectIds: [projectId] });
  for (const name of [other.name, 'fresh']) {
    const file = JSON.stringify({ owner: { email: token.user.email }, projects: [{ name }] });
    for (const dryRun of [true, false]) {
      await expect(runOperation(apply, callOf(token), { file, dryRun })).rejects.toMatchObject({
        status: 404,
        message: `There is no project ${name} of ${token.user.email} that you may see.`,
      });
    }
  }
});
