import { type Decision, decisionSchema } from '@ceiba/contract';
import { UNSAMPLED_PER_MINUTE } from '@ceiba/domain';
import { expect, it } from 'vitest';
import { startRuntime } from '../../support/runtime.ts';
import { runtimeClient, type TestProject } from '../../support/scenario.ts';
import { until } from '../../support/until.ts';
import { PATIENT, startWorld } from './setup.ts';

/*
 * Which allowed calls of a new project are in the decision log. The share is 1 % as by default, so a
 * call that is sampled is logged by chance, and what is said of sampled calls is said of many.
 */
const { world, runtime, databaseUrl, redisUrl } = await startWorld();
const startAnother = () => startRuntime({ databaseUrl, redisUrl, settings: PATIENT });

async function setUp() {
  const project = await world.createProject();
  const { plaintext } = await project.createKey();
  /** Asks once. @returns the id of the decision */
  const ask = async (url = runtime.url) =>
    idOf((await runtimeClient(url, project).authorize({ apiKey: plaintext })).json);
  return { project, apiKey: plaintext, ask };
}

const idOf = (json: unknown) => {
  const decision: Decision = decisionSchema.parse(json);
  if (!decision.allowed) throw new Error(`denied: ${decision.denialReason}`);
  return decision.decisionId;
};

async function loggedOf({ projectId }: TestProject): Promise<string[]> {
  const rows = await world.db.sql<{ id: string }[]>`
    select decision_id as id from decisions
    where project_id = ${projectId} and outcome = 'allowed' order by decision_id`;
  return rows.map(({ id }) => id);
}

/** The calls of a project that the log has, once it has as many. */
async function untilLogged(project: TestProject, count: number): Promise<string[]> {
  const isThere = async () => (await loggedOf(project)).length >= count;
  await until(`the log has ${count} allowed calls`, isThere);
  return loggedOf(project);
}

/** Moves the first allowed call into the past, once it is noted. */
async function setFirstAllowed({ projectId }: TestProject, ago: string): Promise<void> {
  await until('the first allowed call is noted', async () => {
    const rows = await world.db.sql`
      update projects set first_allowed_at = now() - ${ago}::text::interval
      where id = ${projectId} and first_allowed_at is not null returning id`;
    return rows.length === 1;
  });
}

it('has the first allowed call and those after it, from every Runtime and after a restart', async () => {
  const { project, ask } = await setUp();
  const asked = [await ask(), await ask()];
  expect(await untilLogged(project, 2)).toEqual(asked);
  await setFirstAllowed(project, '23 hours 59 minutes');
  const another = await startAnother();
  asked.push(await ask(another.url), await ask());
  await another.stop();
  const restarted = await startAnother();
  asked.push(await ask(restarted.url));
  await restarted.stop();
  expect(await untilLogged(project, 5)).toEqual(asked);
});

it('samples the allowed calls 24 hours after the first', async () => {
  const { project, ask } = await setUp();
  const first = await ask();
  await setFirstAllowed(project, '24 hours');
  const leaving = await startAnother();
  for (let calls = 0; calls < 20; calls += 1) await ask(leaving.url);
  await leaving.stop();
  const logged = await untilLogged(project, 1);
  expect(logged[0]).toBe(first);
  expect(logged.length).toBeLessThan(20);
});

it('has a hundred allowed calls of a minute from each Runtime, and counts none as left out', async () => {
  const { project, apiKey } = await setUp();
  const runtimes = [await startAnother(), await startAnother()];
  // The calls of one test take a part of a minute.
  await until('the minute has room', () => new Date().getUTCSeconds() < 45, 20_000);
  const question = { apiKey, method: 'GET', path: '/v1/reports' };
  for (const { url } of runtimes) {
    const reply = await runtimeClient(url, project).authorizeBatch(Array(150).fill(question));
    const { results } = reply.json as { results: { decision: unknown }[] };
    for (const { decision } of results) idOf(decision);
  }
  for (const leaving of runtimes) await leaving.stop();
  expect(await loggedOf(project)).toHaveLength(2 * UNSAMPLED_PER_MINUTE);
  const gaps = await world.db
    .sql`select from decision_gaps where project_id = ${project.projectId}`;
  expect(gaps).toHaveLength(0);
});

it('has no allowed call where the share is 0, also not the first', async () => {
  const { project, ask } = await setUp();
  await project.setLogging({ loggedAllowsPercent: 0 });
  const leaving = await startAnother();
  await ask(leaving.url);
  await leaving.stop();
  expect(await loggedOf(project)).toEqual([]);
});

it('has no path of a new project that records none', async () => {
  const { project, ask } = await setUp();
  await project.setLogging({ logsPaths: false });
  const asked = await ask();
  expect(await untilLogged(project, 1)).toEqual([asked]);
  const [row] = await world.db.sql`select path from decisions where decision_id = ${asked}`;
  expect(row).toEqual({ path: null });
});
