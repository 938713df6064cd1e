import { randomBytes, randomUUID } from 'node:crypto';
import { type MintedCredential, mintProjectSecret } from '@ceiba/domain';
import { endPreviousSecret, getProject, lookupMany, rotateProjectSecret } from '@ceiba/schema';
import { describe, expect, test } from 'vitest';
import { countAuditRows, expectKind, makeProject, useBench } from '../support.ts';

const bench = useBench();

async function secretDate(projectId: string): Promise<Date> {
  return (await getProject(bench.db, projectId))!.secretCreatedAt;
}

async function rotate(
  projectId: string,
  { dropsPrevious = false, replaces }: { dropsPrevious?: boolean; replaces?: Date } = {},
) {
  const secret = mintProjectSecret(randomBytes);
  const result = await rotateProjectSecret(bench.ctx, {
    projectId,
    secret,
    replaces: replaces ?? (await secretDate(projectId)),
    dropsPrevious,
  });
  return { secret, result };
}

/** The digests of the secrets that a decision accepts now, in hex; the current one first. */
async function accepted(projectId: string): Promise<string[]> {
  const [row] = await lookupMany(bench.db, [{ projectId, apiKeyDigest: null }]);
  const { secretDigest, previousSecretDigest } = row!.project!;
  return [secretDigest, previousSecretDigest].flatMap((digest) => digest?.toString('hex') ?? []);
}

const digests = (...secrets: MintedCredential[]) =>
  secrets.map(({ digest }) => digest.toString('hex'));

describe('rotation', () => {
  test('accepts the new secret and the one that it replaces', async () => {
    const { projectId, secret: first } = await makeProject(bench.ctx);
    expect(await accepted(projectId)).toEqual(digests(first));
    const { secret: second, result } = await rotate(projectId);
    expectKind(result, 'rotated');
    expect(await accepted(projectId)).toEqual(digests(second, first));
  });

  test('keeps the replaced secret valid for 24 hours by the database’s clock', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const { result } = await rotate(projectId);
    const [row] = await bench.db.sql`
      select previous_secret_expires_at - secret_created_at between
        interval '24 hours' - interval '1 minute' and interval '24 hours' as "isADay"
      from projects where id = ${projectId}`;
    expect(row).toEqual({ isADay: true });
    const { previousSecretExpiresAt } = expectKind(result, 'rotated');
    expect((await getProject(bench.db, projectId))?.previousSecretExpiresAt).toEqual(
      previousSecretExpiresAt,
    );
  });

  test('changes nothing without confirmation while a previous secret is valid', async () => {
    const { projectId, secret: first } = await makeProject(bench.ctx);
    const { secret: second, result } = await rotate(projectId);
    const rowsBefore = await countAuditRows(bench.db);
    const again = await rotate(projectId);
    expect(again.result).toEqual({
      kind: 'previous_still_valid',
      previousSecretExpiresAt: expectKind(result, 'rotated').previousSecretExpiresAt,
    });
    expect(await accepted(projectId)).toEqual(digests(second, first));
    expect(await countAuditRows(bench.db)).toBe(rowsBefore);
  });

  test('invalidates the oldest secret at once after confirmation', async () => {
    const { projectId, secret: first } = await makeProject(bench.ctx);
    const { secret: second } = await rotate(projectId);
    const { secret: third, result } = await rotate(projectId, { dropsPrevious: true });
    expectKind(result, 'rotated');
    expect(await accepted(projectId)).toEqual(digests(third, second));
    expect(await accepted(projectId)).not.toContain(digests(first)[0]);
  });

  test('needs no confirmation once the previous secret has expired', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const { secret: second } = await rotate(projectId);
    await bench.db.sql`
      update projects set previous_secret_expires_at = now() where id = ${projectId}`;
    expect(await accepted(projectId)).toEqual(digests(second));
    const { secret: third, result } = await rotate(projectId);
    expectKind(result, 'rotated');
    expect(await accepted(projectId)).toEqual(digests(third, second));
  });
});

describe('a rotation that names the secret that it replaces', () => {
  test('conflicts when retried after a lost reply, and invalidates no secret', async () => {
    const { projectId, secret: first } = await makeProject(bench.ctx);
    const replaces = await secretDate(projectId);
    const { secret: second } = await rotate(projectId, { replaces });
    const { result } = await rotate(projectId, { replaces, dropsPrevious: true });
    expect(result).toEqual({ kind: 'conflict' });
    expect(await accepted(projectId)).toEqual(digests(second, first));
  });

  test('succeeds once and conflicts nine times when ten concurrent rotations name the same secret', async () => {
    const { projectId, secret: first } = await makeProject(bench.ctx);
    const replaces = await secretDate(projectId);
    const races = await Promise.all(
      Array.from({ length: 10 }, () => rotate(projectId, { replaces, dropsPrevious: true })),
    );
    const winners = races.filter(({ result }) => result.kind === 'rotated');
    expect(winners).toHaveLength(1);
    expect(races.filter(({ result }) => result.kind === 'conflict')).toHaveLength(9);
    expect(await accepted(projectId)).toEqual(digests(winners[0]!.secret, first));
  });

  test('changes the creation time of the secret, however quickly rotations follow each other', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const dates = [await secretDate(projectId)];
    for (let round = 0; round < 10; round += 1) {
      expectKind((await rotate(projectId, { dropsPrevious: true })).result, 'rotated');
      dates.push(await secretDate(projectId));
    }
    expect(new Set(dates.map((date) => date.getTime())).size).toBe(dates.length);
  });

  test('reports not_found for a project that does not exist', async () => {
    const { result } = await rotate(randomUUID(), { replaces: new Date() });
    expect(result).toEqual({ kind: 'not_found' });
  });
});

describe('ending the previous secret', () => {
  const end = async (projectId: string, current?: Date) =>
    endPreviousSecret(bench.ctx, { projectId, current: current ?? (await secretDate(projectId)) });

  test('refuses it from then on, keeps the current one, and is audited', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const { secret: second } = await rotate(projectId);
    expect(await end(projectId)).toEqual({ kind: 'ended' });
    expect(await accepted(projectId)).toEqual(digests(second));
    const [row] = await bench.db.sql`
      select action, target_id as "targetId", after from audit_log order by id desc limit 1`;
    expect(row).toEqual({
      action: 'project.end_previous_secret',
      targetId: projectId,
      after: { previousSecretExpiresAt: null },
    });
    // The next rotation needs no confirmation.
    expectKind((await rotate(projectId)).result, 'rotated');
  });

  test('changes nothing and writes no audit row when none is valid', async () => {
    const { projectId } = await makeProject(bench.ctx);
    await rotate(projectId);
    await end(projectId);
    const rows = await countAuditRows(bench.db);
    expect(await end(projectId)).toEqual({ kind: 'unchanged' });
    expect(await countAuditRows(bench.db)).toBe(rows);
  });

  test('conflicts after another rotation, whose previous secret stays valid', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const { secret: second } = await rotate(projectId);
    const seen = await secretDate(projectId);
    const { secret: third } = await rotate(projectId, { dropsPrevious: true });
    expect(await end(projectId, seen)).toEqual({ kind: 'conflict' });
    expect(await accepted(projectId)).toEqual(digests(third, second));
  });

  test('reports not_found for a project that does not exist', async () => {
    expect(await end(randomUUID(), new Date())).toEqual({ kind: 'not_found' });
  });
});
