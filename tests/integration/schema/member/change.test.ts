import { randomBytes, randomUUID } from 'node:crypto';
import { mintInvitation, mintProjectSecret } from '@ceiba/domain';
import {
  createInvitation,
  createProject,
  deleteUser,
  findInvitation,
  getProjectOf,
  leaveProject,
  listAudit,
  listProjectNames,
  listProjectsAtAGlance,
  type MemberRef,
  removeMember,
  setMemberRole,
  transferProject,
  updateProject,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import {
  countAuditRows,
  holding,
  makeOwner,
  makeProject,
  untilWaiting,
  useBench,
} from '../support.ts';
import { addMember } from './support.ts';

const bench = useBench();

const roleOf = async (userId: string, projectId: string) =>
  (await getProjectOf(bench.db, { userId, projectId }))?.role ?? null;

/** The actions of a project's audit log, the oldest first. */
async function actionsIn(projectId: string): Promise<string[]> {
  const { items } = await listAudit(bench.db, { ownerId: null, projectId, limit: 100 });
  return items.map(({ action }) => action).reverse();
}

describe('a member', () => {
  test('changes roles, leaves and is removed, each with an audit row', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const bystander = await addMember(bench, projectId, 'viewer');
    const userId = await addMember(bench, projectId, 'viewer');
    const ref = { projectId, userId };
    expect(await setMemberRole(bench.ctx, { ...ref, role: 'viewer' })).toEqual({
      kind: 'unchanged',
    });
    expect(await setMemberRole(bench.ctx, { ...ref, role: 'developer' })).toEqual({
      kind: 'updated',
    });
    expect(await roleOf(userId, projectId)).toBe('developer');
    expect(await leaveProject(bench.ctx, ref)).toEqual({ kind: 'ended' });
    expect(await roleOf(userId, projectId)).toBeNull();
    expect(await removeMember(bench.ctx, ref)).toEqual({ kind: 'not_found' });
    const other = await addMember(bench, projectId, 'viewer');
    expect(await removeMember(bench.ctx, { projectId, userId: other })).toEqual({ kind: 'ended' });
    expect(await roleOf(bystander, projectId)).toBe('viewer');
    expect((await actionsIn(projectId)).slice(1)).toEqual([
      'member.set_role',
      'member.leave',
      'member.remove',
    ]);
  });

  test('is never the owner, who cannot leave, be removed or get another role', async () => {
    const { projectId, ownerId } = await makeProject(bench.ctx);
    const ref = { projectId, userId: ownerId };
    const before = await countAuditRows(bench.db);
    expect(await leaveProject(bench.ctx, ref)).toEqual({ kind: 'not_found' });
    expect(await removeMember(bench.ctx, ref)).toEqual({ kind: 'not_found' });
    expect(await setMemberRole(bench.ctx, { ...ref, role: 'viewer' })).toEqual({
      kind: 'not_found',
    });
    expect(await countAuditRows(bench.db)).toBe(before);
  });

  test('of one project is not changed through another', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const userId = await addMember(bench, projectId, 'viewer');
    const elsewhere = await makeProject(bench.ctx);
    const ref = { projectId: elsewhere.projectId, userId };
    expect(await setMemberRole(bench.ctx, { ...ref, role: 'developer' })).toEqual({
      kind: 'not_found',
    });
    expect(await removeMember(bench.ctx, ref)).toEqual({ kind: 'not_found' });
    expect(await roleOf(userId, projectId)).toBe('viewer');
  });

  test('has the project in the lists, with the role and the owner’s address', async () => {
    const { projectId, name, ownerId } = await makeProject(bench.ctx);
    const userId = await addMember(bench, projectId, 'viewer');
    await makeProject(bench.ctx);
    const page = { limit: 10, offset: 0 };
    expect(await listProjectsAtAGlance(bench.db, { userId, ...page })).toMatchObject({
      total: 1,
      projects: [{ projectId, role: 'viewer', ownerEmail: expect.stringMatching(/^owner-/) }],
    });
    expect(await listProjectNames(bench.db, { userId, limit: 10 })).toEqual([
      { projectId, name, role: 'viewer' },
    ]);
    expect(await listProjectNames(bench.db, { userId: ownerId, limit: 10 })).toEqual([
      { projectId, name, role: 'owner' },
    ]);
  });

  test('who deletes the account is gone; the owner’s account stays', async () => {
    await makeOwner(bench.ctx);
    const { projectId, ownerId } = await makeProject(bench.ctx);
    const userId = await addMember(bench, projectId, 'developer');
    expect(await deleteUser(bench.ctx, { userId })).toEqual({ kind: 'deleted' });
    expect(await roleOf(userId, projectId)).toBeNull();
    expect(await deleteUser(bench.ctx, { userId: ownerId })).toMatchObject({
      kind: 'owns_projects',
      projects: 1,
    });
  });
});

describe('a member whose account is deleted at that moment', () => {
  test.each([
    ['gets no role', (ref) => setMemberRole(bench.ctx, { ...ref, role: 'developer' })],
    ['is not removed a second time', (ref) => removeMember(bench.ctx, ref)],
  ] as [string, (ref: MemberRef) => Promise<unknown>][])('%s', async (_, change) => {
    const { projectId } = await makeProject(bench.ctx);
    const userId = await addMember(bench, projectId, 'viewer');
    const commit = await holding(bench.url, `delete from users where id = '${userId}'`);
    const changed = change({ projectId, userId });
    await untilWaiting(bench.db);
    await commit();
    expect(await changed).toEqual({ kind: 'not_found' });
    expect(await actionsIn(projectId)).toEqual(['project.create']);
  });
});

describe('a transfer', () => {
  test('swaps the owner and the member, and ends the open invitations', async () => {
    const { projectId, ownerId, name } = await makeProject(bench.ctx);
    const newOwnerId = await addMember(bench, projectId, 'viewer');
    const token = mintInvitation(randomBytes);
    await createInvitation(bench.ctx, {
      projectId,
      role: 'developer',
      label: 'Ana',
      invitedBy: ownerId,
      token,
    });
    const elsewhere = await makeProject(bench.ctx);
    const otherToken = mintInvitation(randomBytes);
    await createInvitation(bench.ctx, {
      projectId: elsewhere.projectId,
      role: 'viewer',
      label: 'Ben',
      invitedBy: elsewhere.ownerId,
      token: otherToken,
    });
    const input = { projectId, newOwnerId, name };
    expect(await transferProject(bench.ctx, input)).toEqual({ kind: 'transferred' });
    expect(await findInvitation(bench.db, otherToken.digest)).not.toBeNull();
    expect(await roleOf(newOwnerId, projectId)).toBe('owner');
    expect(await roleOf(ownerId, projectId)).toBe('developer');
    expect(await findInvitation(bench.db, token.digest)).toBeNull();
    expect((await actionsIn(projectId)).at(-1)).toBe('project.transfer');
    expect(await deleteUser(bench.ctx, { userId: ownerId })).toMatchObject({ kind: 'deleted' });
  });

  test('needs the project’s name, a member, and a name that is free for the new owner', async () => {
    const { projectId, ownerId, name } = await makeProject(bench.ctx);
    const newOwnerId = await addMember(bench, projectId, 'developer');
    const elsewhere = await makeProject(bench.ctx);
    const stranger = await addMember(bench, elsewhere.projectId, 'viewer');
    const input = { projectId, newOwnerId, name };
    const before = await countAuditRows(bench.db);
    const refusals = [
      [{ ...input, name: `${name} ` }, 'name_mismatch'],
      [{ ...input, newOwnerId: stranger }, 'not_a_member'],
      [{ ...input, newOwnerId: randomUUID() }, 'not_a_member'],
      [{ ...input, newOwnerId: ownerId }, 'not_a_member'],
      [{ ...input, projectId: randomUUID() }, 'not_found'],
    ] as const;
    for (const [refused, kind] of refusals) {
      expect(await transferProject(bench.ctx, refused)).toEqual({ kind });
    }
    expect(await countAuditRows(bench.db)).toBe(before);
    expect(await roleOf(stranger, elsewhere.projectId)).toBe('viewer');
    const secret = mintProjectSecret(randomBytes);
    await createProject(bench.ctx, { ownerId: newOwnerId, name, secret });
    expect(await transferProject(bench.ctx, input)).toEqual({ kind: 'name_taken' });
    expect(await roleOf(ownerId, projectId)).toBe('owner');
    expect(await roleOf(newOwnerId, projectId)).toBe('developer');
  });

  test('hides the project’s later changes and name from the log of its previous owner', async () => {
    const { projectId, ownerId, name } = await makeProject(bench.ctx);
    const newOwnerId = await addMember(bench, projectId, 'viewer');
    await transferProject(bench.ctx, { projectId, newOwnerId, name });
    await removeMember(bench.ctx, { projectId, userId: ownerId });
    await updateProject(bench.ctx, { projectId, name: 'new name' });
    const { items } = await listAudit(bench.db, { ownerId, limit: 100 });
    expect(items.map(({ action }) => action)).toEqual([
      'project.transfer',
      'project.create',
      'user.create',
    ]);
    expect(items.map(({ projectName }) => projectName)).toEqual([null, null, null]);
    expect((await actionsIn(projectId)).slice(-2)).toEqual(['member.remove', 'project.update']);
  });
});
