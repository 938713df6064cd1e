import { randomBytes, randomUUID } from 'node:crypto';
import { mintInvitation, PROJECT_MEMBERS_MAX } from '@ceiba/domain';
import {
  acceptInvitation,
  createInvitation,
  findInvitation,
  getProjectOf,
  listInvitations,
  listMembers,
  revokeInvitation,
} from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import {
  countAuditRows,
  expectKind,
  type MadeProject,
  makeOwner,
  makeProject,
  useBench,
} from '../support.ts';
import { addMember } from './support.ts';

const bench = useBench();

async function invite({ projectId, ownerId }: MadeProject) {
  const token = mintInvitation(randomBytes);
  const created = await createInvitation(bench.ctx, {
    projectId,
    role: 'developer',
    label: 'Ana',
    invitedBy: ownerId,
    token,
  });
  return { ...expectKind(created, 'created'), token };
}

const accept = (tokenDigest: Buffer, userId: string) =>
  acceptInvitation(bench.ctx, { tokenDigest, userId, email: 'ana@example.com' });

describe('an invitation', () => {
  test('says who invites to what, and makes one user a member with its role', async () => {
    const project = await makeProject(bench.ctx);
    const { projectId, name } = project;
    const { token, expiresAt } = await invite(project);
    expect(await findInvitation(bench.db, token.digest)).toEqual({
      projectId,
      projectName: name,
      role: 'developer',
      invitedBy: expect.stringMatching(/^owner-/),
      expiresAt,
    });
    const ana = await makeOwner(bench.ctx);
    expect(await accept(token.digest, ana)).toEqual({ kind: 'joined', projectId });
    expect(await getProjectOf(bench.db, { userId: ana, projectId })).toMatchObject({
      role: 'developer',
    });
    expect((await listMembers(bench.db, projectId)).map(({ role }) => role)).toEqual([
      'owner',
      'developer',
    ]);
    expect(await findInvitation(bench.db, token.digest)).toBeNull();
    expect(await listInvitations(bench.db, projectId)).toEqual([]);
  });

  test('is accepted once by 10 concurrent users', async () => {
    const project = await makeProject(bench.ctx);
    const { token } = await invite(project);
    const users = await Promise.all(Array.from({ length: 10 }, () => makeOwner(bench.ctx)));
    const results = await Promise.all(users.map((userId) => accept(token.digest, userId)));
    expect(results.filter(({ kind }) => kind === 'joined')).toHaveLength(1);
    expect(results.filter(({ kind }) => kind === 'not_found')).toHaveLength(9);
    expect(await listMembers(bench.db, project.projectId)).toHaveLength(2);
  });

  test('stays open when a user who has access accepts it', async () => {
    const project = await makeProject(bench.ctx);
    const { projectId, ownerId } = project;
    const viewer = await addMember(bench, projectId, 'viewer');
    const { token } = await invite(project);
    for (const userId of [ownerId, viewer]) {
      expect(await accept(token.digest, userId)).toEqual({ kind: 'is_member', projectId });
    }
    expect(await getProjectOf(bench.db, { userId: viewer, projectId })).toMatchObject({
      role: 'viewer',
    });
    expect(await listInvitations(bench.db, projectId)).toHaveLength(1);
  });

  test('ends after seven days, by the clock of Postgres', async () => {
    const project = await makeProject(bench.ctx);
    const { token, invitationId } = await invite(project);
    const [lifetime] = await bench.db.sql`
      select expires_at - created_at = interval '7 days' as "isSevenDays"
      from project_invitations where id = ${invitationId}`;
    expect(lifetime).toEqual({ isSevenDays: true });
    await bench.db
      .sql`update project_invitations set expires_at = now() where id = ${invitationId}`;
    expect(await findInvitation(bench.db, token.digest)).toBeNull();
    expect(await listInvitations(bench.db, project.projectId)).toEqual([]);
    const user = await makeOwner(bench.ctx);
    expect(await accept(token.digest, user)).toEqual({ kind: 'not_found' });
    // The next one removes it.
    await invite(project);
    const rows = await bench.db.sql`
      select 1 from project_invitations where project_id = ${project.projectId}`;
    expect(rows).toHaveLength(1);
  });

  test('ends when it is revoked, and only in its own project', async () => {
    const project = await makeProject(bench.ctx);
    const { token, invitationId } = await invite(project);
    const elsewhere = await makeProject(bench.ctx);
    const foreign = { projectId: elsewhere.projectId, invitationId };
    expect(await revokeInvitation(bench.ctx, foreign)).toEqual({ kind: 'not_found' });
    const own = { projectId: project.projectId, invitationId };
    expect(await revokeInvitation(bench.ctx, own)).toEqual({ kind: 'revoked' });
    expect(await revokeInvitation(bench.ctx, own)).toEqual({ kind: 'not_found' });
    const user = await makeOwner(bench.ctx);
    expect(await accept(token.digest, user)).toEqual({ kind: 'not_found' });
  });

  test('is stored as a digest only, and the audit log names who was invited and who joined', async () => {
    const project = await makeProject(bench.ctx);
    const { token } = await invite(project);
    await accept(token.digest, await makeOwner(bench.ctx));
    const rows = await bench.db.sql<{ action: string; text: string }[]>`
      select action, a::text as text from audit_log a
      where project_id = ${project.projectId} and target_kind = 'invitation' order by id`;
    expect(rows.map(({ action }) => action)).toEqual(['invitation.create', 'invitation.accept']);
    expect(rows.map(({ text }) => text).join()).toContain('Ana');
    expect(rows.map(({ text }) => text).join()).toContain('ana@example.com');
    const [stored] = await bench.db.sql`
      select count(*)::int as count from (
        select i::text as text from project_invitations i
        union all select a::text from audit_log a
      ) everything where text like ${`%${token.plaintext.slice(13)}%`}`;
    expect(stored).toEqual({ count: 0 });
  });

  test('is refused when the project has as many members and invitations as it may', async () => {
    const project = await makeProject(bench.ctx);
    const { projectId, ownerId } = project;
    const { invitationId } = await invite(project);
    await bench.db.sql`
      with made as (
        insert into users (email) select ${randomUUID()}::text || n from generate_series(2, ${PROJECT_MEMBERS_MAX}::int) n
        returning id)
      insert into project_members (project_id, user_id, role) select ${projectId}, id, 'viewer' from made`;
    const before = await countAuditRows(bench.db);
    const input = { projectId, role: 'viewer', label: 'One more', invitedBy: ownerId } as const;
    const token = mintInvitation(randomBytes);
    expect(await createInvitation(bench.ctx, { ...input, token })).toEqual({ kind: 'too_many' });
    expect(await countAuditRows(bench.db)).toBe(before);
    await revokeInvitation(bench.ctx, { projectId, invitationId });
    expectKind(await createInvitation(bench.ctx, { ...input, token }), 'created');
  });
});
