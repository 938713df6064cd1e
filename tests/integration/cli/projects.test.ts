import { randomBytes } from 'node:crypto';
import { mintProjectSecret } from '@ceiba/domain';
import { createProject, createUser } from '@ceiba/schema';
import { expect, test } from 'vitest';
import { useDesk } from './support.ts';

const desk = useDesk();

const FILE = `owner: { email: ops@example.com }
projects:
  - { name: reports, subscription: { plan: Pro, status: trialing } }
  - { name: lapsed, subscription: { status: active, currentPeriodEnd: '2020-01-01T00:00:00Z' } }
`;

const list = (...args: string[]) => desk.ceiba(['project', 'list', ...args]);

async function projectOfAnotherOwner(name: string): Promise<void> {
  const user = await createUser(desk.ctx, { email: 'zoe@example.com', passwordHash: 'x' });
  if (user.kind !== 'created') throw new Error(user.kind);
  const secret = mintProjectSecret(randomBytes);
  await createProject(desk.ctx, { ownerId: user.userId, name, secret });
}

test('lists the projects of every owner by name, and whether each allows requests', async () => {
  const applied = JSON.parse((await desk.apply(FILE, { json: true })).stdout);
  await projectOfAnotherOwner('reports');
  const { code, stdout, stderr } = await list('--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [lapsed, reports, other, ...more] = JSON.parse(stdout).projects;
  expect(more).toEqual([]);
  expect(lapsed).toEqual({
    projectId: applied.projects[1].projectId,
    name: 'lapsed',
    ownerEmail: 'ops@example.com',
    plan: 'Free',
    status: 'active',
    currentPeriodEnd: '2020-01-01T00:00:00.000Z',
    admits: false,
  });
  expect(reports).toEqual({
    projectId: applied.projects[0].projectId,
    name: 'reports',
    ownerEmail: 'ops@example.com',
    plan: 'Pro',
    status: 'trialing',
    currentPeriodEnd: null,
    admits: true,
  });
  expect(other).toMatchObject({ name: 'reports', ownerEmail: 'zoe@example.com', admits: true });
});

test('shows them in columns, without what a name could do to a terminal', async () => {
  await desk.apply(FILE);
  await projectOfAnotherOwner('ab');
  // The verb refuses such a name; plain SQL does not.
  await desk.db.sql`update projects set name = ${'a\u001b[2Jb'} where name = 'ab'`;
  const lines = (await list()).stdout.trimEnd().split('\n');
  const [head, ...rows] = lines.map((line) => line.split(/ {2,}/).slice(1));
  expect(head).toEqual(['owner', 'plan', 'status', 'allows requests', 'name']);
  expect(rows).toEqual([
    ['zoe@example.com', 'Free', 'active', 'yes', 'a\ufffd[2Jb'],
    ['ops@example.com', 'Free', 'active', 'no', 'lapsed'],
    ['ops@example.com', 'Pro', 'trialing', 'yes', 'reports'],
  ]);
  expect(new Set(lines.map((line) => line.indexOf(line.split(/ {2,}/).at(-1)!))).size).toBe(1);
});

test('lists a project that has lost its subscription by plain SQL', async () => {
  await desk.apply(FILE);
  await desk.db.sql`delete from subscriptions`;
  const [first] = JSON.parse((await list('--json')).stdout).projects;
  expect(first).toMatchObject({ plan: null, status: null, admits: false });
});

test('says that there is none, and what creates one', async () => {
  expect(await list()).toMatchObject({
    code: 0,
    stdout: 'There is no project yet. ceiba apply creates those of a file.\n',
  });
  expect(JSON.parse((await list('--json')).stdout)).toEqual({ projects: [] });
});
