import { randomBytes, randomUUID } from 'node:crypto';
import { mintProjectSecret } from '@ceiba/domain';
import { hashPassword } from '@ceiba/domain/password';
import {
  createProject,
  createUser,
  type Database,
  type DecisionToWrite,
  type VerbContext,
  writeDecisions,
} from '@ceiba/schema';

const DAY_MS = 86_400_000;

export interface SeededDecisions {
  projectId: string;
  apiKeyId: string;
  /** The first day of the log, and the end of the last. */
  from: Date;
  to: Date;
}

/** Fills the log of one project with days up to yesterday, most of it denials of one kind. */
export async function seedDecisions(
  db: Database,
  { rows, days }: { rows: number; days: number },
): Promise<SeededDecisions> {
  const actor = { kind: 'cli' } as const;
  const ctx: VerbContext = { db, actor, clientAddress: null, requestId: null };
  const user = await createUser(ctx, {
    email: 'bench@example.com',
    passwordHash: await hashPassword(randomUUID()),
  });
  if (user.kind !== 'created') throw new Error(user.kind);
  const project = await createProject(ctx, {
    ownerId: user.userId,
    name: 'log',
    secret: mintProjectSecret(randomBytes),
  });
  if (project.kind !== 'created') throw new Error(project.kind);
  const { projectId } = project;
  const apiKeyId = randomUUID();
  const to = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const from = to - days * DAY_MS;
  for (let day = 0; day < days; day += 1) {
    const startMs = from + day * DAY_MS;
    // Also creates the partition.
    await writeDecisions(db, { decisions: [firstOf(projectId, startMs)], gaps: [] });
    await insertDay(db, { projectId, apiKeyId, startMs, rows: Math.round(rows / days) });
  }
  await db.sql`vacuum analyze decisions`;
  return { projectId, apiKeyId, from: new Date(from), to: new Date(to) };
}

/** The id of a time, a UUID of version 7. */
export function idAt(atMs: number): string {
  const time = Math.floor(atMs).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

const firstOf = (projectId: string, atMs: number): DecisionToWrite => ({
  projectId,
  decisionId: idAt(atMs),
  method: 'GET',
  path: '/',
  outcome: 'allowed',
  latencyMs: 1,
});

interface Day {
  projectId: string;
  apiKeyId: string;
  startMs: number;
  rows: number;
}

const insertDay = (db: Database, { projectId, apiKeyId, startMs, rows }: Day) => db.sql`
  insert into decisions (project_id, at, decision_id, request_id, method, path, outcome, api_key_id,
    key_prefix, latency_ms)
  select ${projectId}, at,
    (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000'
      || lpad(to_hex(n), 12, '0'))::uuid,
    'request-' || n, case n % 1000 when 7 then 'DELETE' else 'GET' end,
    case when n % 2000 = 3 then '/v2/rare/' when n % 2 = 0 or n % 5000 = 4999 then '/v1/orders/'
      else '/v1/reports/' end || n,
    case when n % 1000 = 1 then 'rate_limited' when n % 500 = 2 then 'allowed'
      when n % 2 = 0 then 'invalid_api_key' else 'policy_no_match' end,
    case when n % 2500 = 4 then ${apiKeyId}::uuid when n % 2 = 0 then md5((n % 5000)::text)::uuid end,
    'ceiba_' || left(md5(n::text), 8), 1
  from (
    select n, to_timestamp(${startMs / 1_000}::float8) +
      n * (interval '1 day' / ${rows + 1}::int) as at
    from generate_series(1, ${rows}::int) as n
  ) as row`;
