import { randomBytes, randomUUID } from 'node:crypto';
import { mintAccessToken, mintApiKey, mintProjectSecret, type ProjectRight } from '@ceiba/domain';
import {
  allOrNothing,
  authenticateAccessToken,
  createAccessToken,
  createApiKey,
  createPlan,
  createProject,
  deleteUser,
  dryRun,
  findProjectByName,
  listAudit,
  removeMember,
  revokeAccessToken,
  revokeApiKey,
  setAdministrator,
  setEmail,
  signOutEverywhere,
  TokenRefusedError,
  updateProject,
} from '@ceiba/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeDestination } from '../alert/support.ts';
import { addMember } from '../member/support.ts';
import {
  countAuditRows,
  holding,
  LIMITS,
  makeKey,
  makeOwner,
  makeProject,
  untilWaiting,
  useBench,
} from '../support.ts';
import { makeAdministrator } from '../user/support.ts';
import { byToken, type MadeToken, makeToken } from './support.ts';

const bench = useBench();

// The first user is an administrator.
beforeAll(() => makeOwner(bench.ctx));

const inProject = (token: MadeToken, projectId: string, right: ProjectRight = 'change_keys') =>
  byToken(bench.ctx, token, { userId: token.user.userId, projectId, right });

const createKey = (token: MadeToken, projectId: string) =>
  createApiKey(inProject(token, projectId), {
    projectId,
    displayName: 'Job',
    mint: () => mintApiKey(randomBytes),
  });

const createOwnProject = (token: MadeToken, name: string) => {
  const ownerId = token.user.userId;
  const secret = mintProjectSecret(randomBytes);
  return createProject(byToken(bench.ctx, token, { ownerId }), { ownerId, name, secret });
};

const createPlanBy = (token: MadeToken) => {
  const { userId, sessionVersion } = token.user;
  const requires = { administrator: { userId, sessionVersion } };
  return createPlan(byToken(bench.ctx, token, requires), { name: randomUUID(), ...LIMITS });
};

/** Runs what must be refused, and proves that nothing was written. */
async function expectRefused(change: () => Promise<unknown>, error: object): Promise<void> {
  const before = await countAuditRows(bench.db);
  await expect(change()).rejects.toMatchObject(error);
  expect(await countAuditRows(bench.db)).toBe(before);
}

const refused = (reason: string) => ({ name: 'TokenRefusedError', reason });
const NOT_FOUND = { name: 'RightRefusedError', role: null };

describe('a change with an access token', () => {
  test('is made as its user, and the log names the token beside them', async () => {
    const { projectId, ownerId } = await makeProject(bench.ctx);
    const token = await makeToken(bench, ownerId, { name: 'Deploy' });
    expect(await createKey(token, projectId)).toMatchObject({ kind: 'created' });
    const { items } = await listAudit(bench.db, { ownerId, text: 'deploy', limit: 5 });
    expect(items).toMatchObject([
      {
        action: 'api_key.create',
        actor: { kind: 'user', userId: ownerId, label: token.user.email, token: 'Deploy' },
      },
    ]);
    // Also once it is revoked.
    await revokeAccessToken(bench.ctx, { userId: ownerId, tokenId: token.tokenId });
    const kept = await listAudit(bench.db, { ownerId, text: 'deploy', limit: 5 });
    expect(kept.items).toEqual(items);
  });

  test('names the token in the alert of the change', async () => {
    const { projectId, ownerId } = await makeProject(bench.ctx);
    const key = await makeKey(bench.ctx, projectId);
    await makeDestination(bench.ctx, projectId, { eventTypes: ['api_key.revoked'] });
    const token = await makeToken(bench, ownerId, { name: 'Deploy' });
    await revokeApiKey(inProject(token, projectId), key);
    const rows = await bench.db.sql`
      select data ->> 'actor' as actor from alert_events where project_id = ${projectId}`;
    expect([...rows]).toEqual([{ actor: `${token.user.email} with the token Deploy` }]);
  });

  test('needs access to write', async () => {
    const { projectId, ownerId } = await makeProject(bench.ctx);
    const token = await makeToken(bench, ownerId, { access: 'read' });
    await expectRefused(() => createKey(token, projectId), refused('read_only'));
    await expectRefused(() => createOwnProject(token, 'new'), refused('read_only'));
    await expectRefused(() => createPlanBy(token), { name: 'AdministratorRefusedError' });
  });

  test('is of a project that it lists; others are not found, and nothing outside of them is changed', async () => {
    const { projectId, ownerId } = await makeProject(bench.ctx);
    const other = await makeProject(bench.ctx, ownerId);
    const token = await makeToken(bench, ownerId, { projectIds: [projectId] });
    expect(await createKey(token, projectId.toUpperCase())).toMatchObject({ kind: 'created' });
    await expectRefused(() => createKey(token, other.projectId), NOT_FOUND);
    await expectRefused(() => createOwnProject(token, 'new'), refused('listed_projects'));
    const { userId } = await makeAdministrator(bench);
    const { projectId: own } = await makeProject(bench.ctx, userId);
    const listed = await makeToken(bench, userId, { projectIds: [own] });
    await expectRefused(() => createPlanBy(listed), refused('listed_projects'));
  });

  test('is never more than the role of its user', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const viewer = await makeToken(bench, await addMember(bench, projectId, 'viewer'));
    await expectRefused(() => createKey(viewer, projectId), { role: 'viewer' });
    const stranger = await makeToken(bench, await makeOwner(bench.ctx));
    await expectRefused(() => createKey(stranger, projectId), NOT_FOUND);
    await expectRefused(() => createPlanBy(stranger), { reason: 'not_administrator' });
    const { userId } = await makeAdministrator(bench);
    expect(await createPlanBy(await makeToken(bench, userId))).toMatchObject({ kind: 'created' });
  });

  test('ends with the role: of a member who was removed, a user who was demoted or signed out', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const developer = await addMember(bench, projectId, 'developer');
    const token = await makeToken(bench, developer);
    expect(await createKey(token, projectId)).toMatchObject({ kind: 'created' });
    await removeMember(bench.ctx, { projectId, userId: developer });
    await expectRefused(() => createKey(token, projectId), NOT_FOUND);

    await makeAdministrator(bench);
    const demoted = (await makeAdministrator(bench)).userId;
    const ofDemoted = await makeToken(bench, demoted);
    await setAdministrator(bench.ctx, { userId: demoted, isAdministrator: false });
    await expectRefused(() => createPlanBy(ofDemoted), { reason: 'not_administrator' });

    const { userId } = await makeAdministrator(bench);
    const admitted = await makeToken(bench, userId);
    await signOutEverywhere(bench.ctx, userId);
    await expectRefused(() => createPlanBy(admitted), { reason: 'outdated' });
  });

  test('is refused once the token is revoked, has expired, or its user is gone', async () => {
    const { projectId, ownerId } = await makeProject(bench.ctx);
    const revoked = await makeToken(bench, ownerId);
    await revokeAccessToken(bench.ctx, { userId: ownerId, tokenId: revoked.tokenId });
    await expectRefused(() => createKey(revoked, projectId), refused('ended'));
    const expired = await makeToken(bench, ownerId);
    await bench.db.sql`
      update access_tokens set expires_at = now() where id = ${expired.tokenId}`;
    await expectRefused(() => createKey(expired, projectId), refused('ended'));
    const gone = await makeToken(bench, await makeOwner(bench.ctx));
    await deleteUser(bench.ctx, { userId: gone.user.userId });
    await expectRefused(() => createOwnProject(gone, 'new'), refused('ended'));
  });

  test('is not made with a token of another user', async () => {
    const { projectId, ownerId } = await makeProject(bench.ctx);
    const stranger = await makeToken(bench, await makeOwner(bench.ctx));
    const borrowed = { ...stranger, user: { ...stranger.user, userId: ownerId } };
    await expectRefused(() => createKey(borrowed, projectId), refused('ended'));
  });

  test('is none of the account: no token creates, revokes or changes what only a user at the keyboard may', async () => {
    const userId = await makeOwner(bench.ctx);
    const token = await makeToken(bench, userId);
    const ctx = byToken(bench.ctx, token);
    const fresh = {
      userId,
      sessionVersion: 0,
      name: 'Second',
      access: 'read',
      projectIds: null,
      days: 7,
      minted: mintAccessToken(randomBytes),
    } as const;
    const changes: (() => Promise<unknown>)[] = [
      () => createAccessToken(ctx, fresh),
      // Whatever right the request has.
      () => createAccessToken({ ...ctx, requires: { ownerId: userId } }, fresh),
      () => revokeAccessToken(ctx, { userId, tokenId: token.tokenId }),
      () => setEmail(ctx, { userId, email: 'thief@example.com', sessionVersion: 0 }),
      () => signOutEverywhere(ctx, userId),
      () => deleteUser(ctx, { userId }),
    ];
    for (const change of changes) await expectRefused(change, refused('needs_session'));
  });
});

describe('a dry run', () => {
  test('keeps nothing, returns what it would do, and is permitted to a token that only reads', async () => {
    const { projectId, ownerId } = await makeProject(bench.ctx);
    const token = await makeToken(bench, ownerId, { access: 'read' });
    const before = await countAuditRows(bench.db);
    const result = await dryRun(inProject(token, projectId, 'change_settings'), (ctx) =>
      updateProject(ctx, { projectId, name: 'renamed' }),
    );
    expect(result).toEqual({ kind: 'updated' });
    expect(await countAuditRows(bench.db)).toBe(before);
    expect(await findProjectByName(bench.db, { ownerId, name: 'renamed' })).toBeNull();
  });

  test('needs the role and the project as the change does, and passes errors on', async () => {
    const { projectId, ownerId } = await makeProject(bench.ctx);
    const other = await makeProject(bench.ctx, ownerId);
    const listed = await makeToken(bench, ownerId, { access: 'read', projectIds: [projectId] });
    const viewer = await makeToken(bench, await addMember(bench, projectId, 'viewer'));
    const rename = (token: MadeToken, id: string) =>
      dryRun(byToken(bench.ctx, token), (ctx) =>
        updateProject(
          {
            ...ctx,
            requires: { userId: token.user.userId, projectId: id, right: 'change_settings' },
          },
          { projectId: id, name: 'renamed' },
        ),
      );
    await expectRefused(() => rename(listed, other.projectId), NOT_FOUND);
    await expectRefused(() => rename(viewer, projectId), { role: 'viewer' });
    expect(await rename(listed, projectId)).toEqual({ kind: 'updated' });
  });

  test('of many verbs is checked by each: without a right, nothing runs with a token', async () => {
    const { projectId, ownerId } = await makeProject(bench.ctx);
    const token = await makeToken(bench, ownerId);
    const change = () =>
      allOrNothing(byToken(bench.ctx, token), (ctx) =>
        updateProject(ctx, { projectId, name: 'renamed' }),
      );
    await expectRefused(change, refused('needs_session'));
  });
});

test('many changes that wait for others hold no row of the project or the token meanwhile', async () => {
  const { projectId, ownerId } = await makeProject(bench.ctx);
  const token = await makeToken(bench, ownerId);
  const release = await holding(bench.url, `select pg_advisory_xact_lock(${0x0ce1bc})`);
  const rehearsal = dryRun(inProject(token, projectId), async () => 'done');
  await untilWaiting(bench.db);
  const locking = (table: string, id: string) =>
    bench.db.sql`select id from ${bench.db.sql(table)} where id = ${id} for update skip locked`;
  const [project, held] = [
    await locking('projects', projectId),
    await locking('access_tokens', token.tokenId),
  ];
  await release();
  expect(await rehearsal).toBe('done');
  expect([project, held]).toEqual([[{ id: projectId }], [{ id: token.tokenId }]]);
});

describe('a revocation of an access token', () => {
  test('waits for a change that is under way, and the next one is refused', async () => {
    const { projectId, ownerId } = await makeProject(bench.ctx);
    const token = await makeToken(bench, ownerId);
    // The last statement of the change waits, after the token was checked.
    const release = await holding(bench.url, 'lock table audit_log in exclusive mode');
    const created = createKey(token, projectId);
    await untilWaiting(bench.db);
    const revoked = revokeAccessToken(bench.ctx, { userId: ownerId, tokenId: token.tokenId });
    await untilWaiting(bench.db, 2);
    const isThere = await bench.db.sql`select 1 from access_tokens where id = ${token.tokenId}`;
    expect(isThere).toHaveLength(1);
    await release();
    expect(await created).toMatchObject({ kind: 'created' });
    expect(await revoked).toEqual({ kind: 'revoked' });
    await expectRefused(() => createKey(token, projectId), refused('ended'));
  });

  test('ends the token for every further request although a change with it goes on, and answers that', async () => {
    const { projectId, ownerId } = await makeProject(bench.ctx);
    const token = await makeToken(bench, ownerId);
    const revoke = () => revokeAccessToken(bench.ctx, { userId: ownerId, tokenId: token.tokenId });
    const release = await holding(
      bench.url,
      `select 1 from access_tokens where id = '${token.tokenId}' for key share`,
    );
    expect(await revoke()).toEqual({ kind: 'still_in_use' });
    expect(await authenticateAccessToken(bench.db, token.minted.plaintext)).toBeNull();
    const rows = await bench.db.sql`select before from audit_log
      where action = 'user.revoke_access_token' and target_id = ${ownerId}`;
    expect([...rows]).toEqual([{ before: { token: 'CI', tokenPrefix: token.minted.prefix } }]);
    await expectRefused(() => createKey(token, projectId), refused('ended'));
    await release();
    expect(await revoke()).toEqual({ kind: 'revoked' });
    expect(await revoke()).toEqual({ kind: 'not_found' });
  });

  test('refuses a change that was admitted before, and waits', async () => {
    const { projectId, ownerId } = await makeProject(bench.ctx);
    const token = await makeToken(bench, ownerId);
    const commit = await holding(
      bench.url,
      `delete from access_tokens where id = '${token.tokenId}'`,
    );
    const created = createKey(token, projectId);
    const outcome = expect(created).rejects.toThrow(TokenRefusedError);
    await untilWaiting(bench.db);
    await commit();
    await outcome;
    const keys = await bench.db.sql`select 1 from api_keys where project_id = ${projectId}`;
    expect(keys).toHaveLength(0);
  });

  test('is never followed by a change: none is made after its answer, in 20 rounds of four', async () => {
    const { projectId, ownerId } = await makeProject(bench.ctx);
    for (let round = 0; round < 20; round += 1) {
      const token = await makeToken(bench, ownerId);
      const name = `round-${round}`;
      const rename = (text: string) =>
        updateProject(inProject(token, projectId, 'change_settings'), { projectId, name: text });
      let isOver = false;
      const changes = Array.from({ length: 4 }, async (_, index) => {
        for (let turn = 0; !isOver; turn += 1) {
          await rename(`${name}-${index}-${turn}`).catch((error: unknown) => {
            if (!(error instanceof TokenRefusedError)) throw error;
          });
        }
      });
      await revokeAccessToken(bench.ctx, { userId: ownerId, tokenId: token.tokenId });
      const [atAnswer] = await bench.db.sql`select name from projects where id = ${projectId}`;
      isOver = true;
      await Promise.all(changes);
      const [atEnd] = await bench.db.sql`select name from projects where id = ${projectId}`;
      expect(atEnd).toEqual(atAnswer);
      // The limit on live tokens is not reached.
      expect(await rename('late').catch((error: unknown) => error)).toMatchObject(refused('ended'));
    }
  });

  test('does not wait for a note of the last use, nor that for a change', async () => {
    const { projectId, ownerId } = await makeProject(bench.ctx);
    const token = await makeToken(bench, ownerId);
    const release = await holding(bench.url, 'lock table audit_log in exclusive mode');
    const created = createKey(token, projectId);
    await untilWaiting(bench.db);
    // Answers while the change holds its lock.
    await bench.db.sql`update access_tokens set last_used_at = now() where id = ${token.tokenId}`;
    await release();
    expect(await created).toMatchObject({ kind: 'created' });
  });

  test('by a deletion of the account does not deadlock with a change that creates a project', async () => {
    const token = await makeToken(bench, await makeOwner(bench.ctx));
    const { userId } = token.user;
    const release = await holding(bench.url, 'lock table audit_log in exclusive mode');
    const created = createOwnProject(token, 'new');
    await untilWaiting(bench.db);
    const deleted = deleteUser(bench.ctx, { userId });
    await untilWaiting(bench.db, 2);
    await release();
    expect(await created).toMatchObject({ kind: 'created' });
    expect(await deleted).toMatchObject({ kind: 'owns_projects' });
  });
});
