import { randomBytes, randomUUID } from 'node:crypto';
import { mintApiKey, mintInvitation, mintProjectSecret, type ProjectRight } from '@ceiba/domain';
import {
  archiveApiKey,
  createApiKey,
  createApiKeys,
  createInvitation,
  createPolicies,
  createPolicy,
  deletePolicy,
  deleteProject,
  deleteUser,
  endPreviousKeySecret,
  getProject,
  getProjectOf,
  importApiKeys,
  leaveProject,
  RightRefusedError,
  removeMember,
  replacePolicies,
  revokeApiKey,
  revokeInvitation,
  rotateApiKey,
  rotateProjectSecret,
  setMemberRole,
  setSubscription,
  transferProject,
  updateApiKey,
  updatePolicy,
  updateProject,
  type VerbContext,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import {
  countAuditRows,
  holding,
  makeKey,
  makeOwner,
  makeProject,
  untilWaiting,
  useBench,
} from '../support.ts';
import { addMember } from './support.ts';

const bench = useBench();

/** The context of a user's action in a project. */
const actionOf = (userId: string, projectId: string, right: ProjectRight): VerbContext => ({
  ...bench.ctx,
  actor: { kind: 'user', userId, email: 'someone@example.com' },
  requires: { userId, projectId, right },
});

const createKeyAs = (userId: string, projectId: string) =>
  createApiKey(actionOf(userId, projectId, 'change_keys'), {
    projectId,
    displayName: 'Job',
    mint: () => mintApiKey(randomBytes),
  });

const countKeys = async (projectId: string) =>
  (await bench.db.sql`select 1 from api_keys where project_id = ${projectId}`).length;

describe('a role in a project', () => {
  test('is owner, developer or viewer; others do not find the project', async () => {
    const { projectId, ownerId } = await makeProject(bench.ctx);
    const developer = await addMember(bench, projectId, 'developer');
    const viewer = await addMember(bench, projectId, 'viewer');
    const roleOf = async (userId: string) =>
      (await getProjectOf(bench.db, { userId, projectId }))?.role ?? null;
    expect(await roleOf(ownerId)).toBe('owner');
    expect(await roleOf(developer)).toBe('developer');
    expect(await roleOf(viewer)).toBe('viewer');
    expect(await roleOf(await makeOwner(bench.ctx))).toBeNull();
    const elsewhere = await makeProject(bench.ctx);
    expect(
      await getProjectOf(bench.db, { userId: developer, projectId: elsewhere.projectId }),
    ).toBeNull();
    expect(await getProjectOf(bench.db, { userId: ownerId, projectId: randomUUID() })).toBeNull();
  });
});

describe('a required right', () => {
  test('is checked by every change of a project, which then changes nothing', async () => {
    const { projectId, ownerId, name } = await makeProject(bench.ctx);
    const key = await makeKey(bench.ctx, projectId);
    const rule = { method: 'GET', pathPattern: '/v1' };
    const policy = await createPolicy(bench.ctx, { projectId, ...rule });
    if (policy.kind !== 'created') throw new Error(policy.kind);
    const { policyId } = policy;
    const userId = await addMember(bench, projectId, 'viewer');
    const ctx = actionOf(userId, projectId, 'delete');
    const invitationId = randomUUID();
    const secret = mintProjectSecret(randomBytes);
    const token = mintInvitation(randomBytes);
    const changes: (() => Promise<unknown>)[] = [
      () => createKeyAs(userId, projectId),
      () => revokeApiKey(ctx, key),
      () => archiveApiKey(ctx, key),
      () =>
        rotateApiKey(ctx, {
          ...key,
          keyPrefix: key.minted.prefix,
          overlapSeconds: 0,
          mint: () => mintApiKey(randomBytes),
        }),
      () => endPreviousKeySecret(ctx, key),
      () => createApiKeys(ctx, { projectId, mint: () => mintApiKey(randomBytes), apiKeys: [] }),
      () => importApiKeys(ctx, { projectId, keys: [] }),
      () => updateApiKey(ctx, { ...key, monthlyQuota: 1 }),
      () => createPolicy(ctx, { projectId, method: 'PUT', pathPattern: '/v1' }),
      () => createPolicies(ctx, { projectId, rules: [{ method: 'PUT', pathPattern: '/v1' }] }),
      () => updatePolicy(ctx, { projectId, policyId, seen: rule, ...rule, method: 'POST' }),
      () => deletePolicy(ctx, { projectId, policyId }),
      () => replacePolicies(ctx, { projectId, rules: [] }),
      () => setSubscription(ctx, { projectId, status: 'canceled' }),
      () => updateProject(ctx, { projectId, name: 'renamed' }),
      () =>
        rotateProjectSecret(ctx, {
          projectId,
          secret,
          replaces: new Date(),
          dropsPrevious: true,
        }),
      () => deleteProject(ctx, { projectId, name }),
      () => transferProject(ctx, { projectId, newOwnerId: userId, name }),
      () =>
        createInvitation(ctx, {
          projectId,
          role: 'viewer',
          label: 'x',
          invitedBy: ownerId,
          token,
        }),
      () => revokeInvitation(ctx, { projectId, invitationId }),
      () => setMemberRole(ctx, { projectId, userId, role: 'developer' }),
      () => removeMember(ctx, { projectId, userId }),
      () => leaveProject(ctx, { projectId, userId }),
    ];
    const before = await countAuditRows(bench.db);
    for (const change of changes) await expect(change()).rejects.toThrow(RightRefusedError);
    expect(await countAuditRows(bench.db)).toBe(before);
    expect(await getProject(bench.db, projectId)).toMatchObject({ name, ownerId });
  });

  test('names the role that lacks it, and none for a user without a role', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const viewer = await addMember(bench, projectId, 'viewer');
    const stranger = await makeOwner(bench.ctx);
    await expect(createKeyAs(viewer, projectId)).rejects.toMatchObject({ role: 'viewer' });
    await expect(createKeyAs(stranger, projectId)).rejects.toMatchObject({ role: null });
    await expect(createKeyAs(viewer, randomUUID())).rejects.toMatchObject({ role: null });
    const developer = await addMember(bench, projectId, 'developer');
    expect(await createKeyAs(developer, projectId)).toMatchObject({ kind: 'created' });
  });

  test('that is taken away while a change waits refuses the change', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const developer = await addMember(bench, projectId, 'developer');
    const commit = await holding(
      bench.url,
      `select 1 from projects where id = '${projectId}' for no key update;
       delete from project_members where user_id = '${developer}'`,
    );
    const created = createKeyAs(developer, projectId);
    const outcome = expect(created).rejects.toThrow(RightRefusedError);
    await untilWaiting(bench.db);
    await commit();
    await outcome;
    expect(await countKeys(projectId)).toBe(0);
  });

  test('is not taken away while a change that was permitted is running', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const developer = await addMember(bench, projectId, 'developer');
    // The last statement of the change waits, after the right was checked.
    const release = await holding(bench.url, 'lock table audit_log in exclusive mode');
    const created = createKeyAs(developer, projectId);
    await untilWaiting(bench.db);
    const removed = removeMember(bench.ctx, { projectId, userId: developer });
    await untilWaiting(bench.db, 2);
    const [member] = await bench.db.sql`
      select role from project_members where user_id = ${developer}`;
    expect(member).toEqual({ role: 'developer' });
    await release();
    expect(await created).toMatchObject({ kind: 'created' });
    expect(await removed).toEqual({ kind: 'ended' });
    await expect(createKeyAs(developer, projectId)).rejects.toThrow(RightRefusedError);
  });

  test('is not lost to a deletion of the account while a change that was permitted is running', async () => {
    await makeOwner(bench.ctx);
    const { projectId } = await makeProject(bench.ctx);
    const developer = await addMember(bench, projectId, 'developer');
    const release = await holding(bench.url, 'lock table api_keys in exclusive mode');
    const created = createKeyAs(developer, projectId);
    await untilWaiting(bench.db);
    const deleted = deleteUser(bench.ctx, { userId: developer });
    // Without a wait, the account would be gone before the key is there.
    const first = await Promise.race([
      deleted.then(() => 'deleted'),
      untilWaiting(bench.db, 2).then(() => 'waits'),
    ]);
    await release();
    expect(first).toBe('waits');
    expect(await created).toMatchObject({ kind: 'created' });
    expect(await deleted).toEqual({ kind: 'deleted' });
  });

  test('of an owner ends with the transfer of the project', async () => {
    const { projectId, ownerId, name } = await makeProject(bench.ctx);
    const heirs = [
      await addMember(bench, projectId, 'developer'),
      await addMember(bench, projectId, 'viewer'),
    ];
    // Of two concurrent transfers, the second finds that its user is no longer the owner.
    const results = await Promise.allSettled(
      heirs.map((newOwnerId) =>
        transferProject(actionOf(ownerId, projectId, 'transfer'), { projectId, newOwnerId, name }),
      ),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { role: 'developer' },
    });
  });
});
