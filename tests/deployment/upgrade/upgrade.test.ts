/**
 * The previous release on the schema of this one, as during a rollout and after a rollback
 * (docs/run/upgrades.md). Its source comes from git: .ci/run fails where this is skipped.
 */
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  apiKeyCreateResultSchema,
  apiKeySummarySchema,
  decisionSchema,
  runtimeReadinessSchema,
  runtimeVersionSchema,
} from '@ceiba/contract';
import { DENIAL_REASONS } from '@ceiba/contract/sets';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NEW_GROUPS, precedence, SITUATION_OF_DETAIL, situations } from '../../golden/decisions.ts';
import { PATIENT, startWorld } from '../../integration/runtime/setup.ts';
import {
  buildPreviousRelease,
  hasPreviousRelease,
  PREVIOUS_RELEASE,
} from '../../support/previous-release.ts';
import { type RunningRuntime, startRuntime } from '../../support/runtime.ts';
import { type RuntimeClient, runtimeClient, type TestProject } from '../../support/scenario.ts';
import { until } from '../../support/until.ts';

const { world, runtime: next, databaseUrl, redisUrl } = await startWorld();
const QUOTA = 60;

describe.skipIf(!hasPreviousRelease)('the previous release on the schema of this one', () => {
  let folder: string;
  let previous: RunningRuntime;

  const startPrevious = () =>
    startRuntime({
      databaseUrl,
      redisUrl,
      settings: PATIENT,
      program: join(folder, 'apps/runtime/dist/main.js'),
    });

  beforeAll(async () => {
    folder = buildPreviousRelease();
    previous = await startPrevious();
  }, 120_000);
  afterAll(async () => {
    await previous?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const bothFor = (project: TestProject) =>
    [previous, next].map(({ url }) => runtimeClient(url, project)) as [
      RuntimeClient,
      RuntimeClient,
    ];
  const outcomeOf = async (client: RuntimeClient, apiKey: string) => {
    const decision = decisionSchema.parse((await client.authorize({ apiKey })).json);
    return decision.allowed ? 'allowed' : decision.denialReason;
  };

  it('is the one that was built, and is ready', async () => {
    const version = await (await fetch(`${previous.url}/version`)).json();
    expect(runtimeVersionSchema.parse(version)).toEqual({
      sha: PREVIOUS_RELEASE.commit,
      schema: PREVIOUS_RELEASE.migration,
    });
    const ready = await (await fetch(`${previous.url}/ready`)).json();
    expect(runtimeReadinessSchema.parse(ready).ok).toBe(true);
  });

  it('takes the reason from the first failing check in the order of the contract', async () => {
    expect(await precedence(world, previous.url)).toEqual([...DENIAL_REASONS, 'allowed']);
  });

  it('denies in every situation that it knows and this release denies, with the same reason', async () => {
    const known = { without: NEW_GROUPS };
    const here = await situations(world, next.url, known);
    expect(await situations(world, previous.url, known)).toBe(here);
    for (const denial of DENIAL_REASONS) expect(here).toContain(` ${denial}\n`);
    const detailed = Object.values(SITUATION_OF_DETAIL).filter((name) => here.includes(name));
    expect(detailed.length).toBeGreaterThan(5);
    for (const situation of detailed) {
      expect(here).toMatch(new RegExp(`^  ${situation} +(${DENIAL_REASONS.join('|')})$`, 'm'));
    }
  }, 240_000);

  it('hands one quota out together with this release, and counts every call', async () => {
    const project = await world.createProject({ plan: { monthlyQuota: QUOTA } });
    const { plaintext } = await project.createKey();
    const outcomes = await Promise.all(
      bothFor(project).flatMap((client) =>
        Array.from({ length: QUOTA }, () => outcomeOf(client, plaintext)),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'allowed')).toHaveLength(QUOTA);
    expect(new Set(outcomes)).toEqual(new Set(['allowed', 'quota_exceeded']));
    await until('usage is in Postgres', async () => {
      const [usage] = await world.db.sql<{ outcomes: Record<string, number> }[]>`
        select json_object_agg(outcome, count) as outcomes from (
          select outcome, sum(count) as count from usage_hours
          where project_id = ${project.projectId} group by outcome
        ) as counts`;
      expect(usage?.outcomes).toEqual({ allowed: QUOTA, quota_exceeded: QUOTA });
      return true;
    });
  });

  it('sees what this release changes on the next decision, and the reverse', async () => {
    const project = await world.createProject();
    const [old, current] = bothFor(project);
    for (const [changes, decides] of [
      [old, current],
      [current, old],
    ] as const) {
      const created = await changes.createKey('Rollout');
      const { apiKeyId, plaintextKey } = apiKeyCreateResultSchema.parse(created.json);
      expect(await outcomeOf(decides, plaintextKey)).toBe('allowed');
      const read = await decides.getKey(apiKeyId);
      expect(apiKeySummarySchema.parse(read.json).status).toBe('active');
      await changes.revoke(apiKeyId);
      expect(await outcomeOf(decides, plaintextKey)).toBe('revoked_api_key');
    }
  });

  it('logs its decisions, which this release reads', async () => {
    const project = await world.createProject({ policies: [] });
    const { plaintext } = await project.createKey();
    const [old, current] = bothFor(project);
    await outcomeOf(old, plaintext);
    await until('the log has it', async () => {
      const { json } = await current.listDecisions('outcome=denied');
      return JSON.stringify(json).includes('"denialReason":"policy_no_match"');
    });
  });

  it('has a command line that finds the database newer, and still works', () => {
    const file = join(folder, 'ceiba.yaml');
    writeFileSync(
      file,
      `owner: { email: rollback@example.com }
projects:
  - name: rollback
    policies: [{ method: GET, pathPattern: /v1/reports* }]
`,
    );
    const ceiba = (...args: string[]) =>
      execFileSync(process.execPath, [join(folder, 'apps/cli/bin/ceiba.mjs'), ...args], {
        cwd: folder,
        encoding: 'utf8',
        env: {
          PATH: process.env.PATH,
          DATABASE_URL: databaseUrl,
          REDIS_URL: redisUrl,
          CEIBA_OWNER_PASSWORD: 'copper lantern over the fjord',
        },
      });
    expect(ceiba('migrate')).toContain('Nothing to do');
    expect(JSON.parse(ceiba('apply', '-f', file, '--json')).projects).toHaveLength(1);
  });

  it('stops without an error when the rollout is over, and starts again for a rollback', async () => {
    expect(await previous.stop()).toBe('exited with code 0');
    expect(previous.stdout()).not.toMatch(/"level":(?:50|60)|internal error/);
    previous = await startPrevious();
  });
});
