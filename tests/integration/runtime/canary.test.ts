/**
 * A canary search. One Runtime, at its most talkative, is led through everything that it does, and
 * through outages; then every line of its log, every row, every Redis key and value, every metric and
 * every answer is searched for the secrets, the plaintext keys and their hashes.
 */
import { createHash, randomBytes } from 'node:crypto';
import { apiKeyCreateResultSchema } from '@ceiba/contract';
import { PROJECT_SECRET_HEADER } from '@ceiba/contract/sets';
import { freePort } from '@ceiba/devstack/ports';
import { mintApiKey, mintInvitation, mintPasswordReset } from '@ceiba/domain';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { scrape } from '../../support/metrics.ts';
import { type RunningRuntime, startRuntime } from '../../support/runtime.ts';
import {
  createWorld,
  QUESTION,
  type Reply,
  type RuntimeClient,
  runtimeClient,
  type TestProject,
  type World,
} from '../../support/scenario.ts';
import { startTestRedis, type TestService } from '../../support/services.ts';
import { until } from '../../support/until.ts';

let database: TestDatabase;
let redis: TestService;
let world: World;
let runtime: RunningRuntime;

/** Everything that must not be found, and what must have been answered so that it could be. */
const credentials: string[] = [];
const replies: Reply[] = [];
let tables: string;
let tablesWithDigests: string;
let redisText: string;
let metricsText: string;
let log: string;

beforeAll(async () => {
  [database, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
  world = createWorld(database.url);
  const metricsPort = await freePort();
  runtime = await startRuntime({
    databaseUrl: database.url,
    redisUrl: redis.url,
    settings: { LOG_LEVEL: 'trace', METRICS_PORT: String(metricsPort) },
  });
  await live();
  metricsText = (await scrape(metricsPort)).text;
  redisText = await dumpRedis();
  await runtime.stop();
  log = runtime.stdout();
  tables = await dumpTables({ digests: false });
  tablesWithDigests = await dumpTables({ digests: true });
}, 180_000);

afterAll(async () => {
  await runtime?.stop();
  await world?.close();
  await Promise.all([database?.drop(), redis?.dispose()]);
});

/* ------------------------------------------------------------------------------------- the run */

async function live(): Promise<void> {
  const project = await world.createProject({
    plan: { activeKeyCap: 8 },
    policies: [{ method: 'GET', pathPattern: '/v1/reports*' }],
  });
  const client = runtimeClient(runtime.url, project);
  remember(project.secret);
  const keys = await everyRoute(project, client);
  await everyDecision(project, client, keys);
  await project.setLogging({ loggedAllowsPercent: 100 });
  await secretsInOddPlaces(project, client, keys.live);
  await until('the log has the decisions', async () => {
    const reply = await client.listDecisions('limit=500');
    keep(reply);
    return reply.text.includes('redacted');
  });
  for (let n = 0; n < 2; n += 1) {
    remember(await project.rotateSecret());
    keep(await client.listKeys());
  }
  await outagesOfPostgres(project, client, keys.live);
  await outagesOfRedis(client, keys.live);
}

const remember = (...found: string[]) => void credentials.push(...found);
const keep = (...answers: Reply[]) => void replies.push(...answers);

/** Creates a key over HTTP; its plaintext may stand in this one answer, and is taken out of it. */
async function create(client: RuntimeClient): Promise<{ apiKeyId: string; plaintext: string }> {
  const reply = await client.createKey('Canary');
  const { apiKeyId, plaintextKey } = apiKeyCreateResultSchema.parse(reply.json);
  remember(plaintextKey);
  const text = reply.text.replace(`"plaintextKey":"${plaintextKey}"`, '');
  keep({ ...reply, text, json: null });
  return { apiKeyId, plaintext: plaintextKey };
}

async function everyRoute(project: TestProject, client: RuntimeClient) {
  const live = await create(client);
  const revoked = await create(client);
  const archived = await create(client);
  const expired = await create(client);
  const stranger = await world.createProject();
  const foreign = await stranger.createKey();
  remember(stranger.secret, foreign.plaintext);
  keep(
    await client.setExpiry(live.apiKeyId, '2999-01-01T00:00:00Z'),
    await client.setExpiry(expired.apiKeyId, '2020-01-01T00:00:00Z'),
    await client.revoke(revoked.apiKeyId),
    await client.revoke(revoked.apiKeyId),
    await client.archive(revoked.apiKeyId),
    await client.archive(archived.apiKeyId),
    await client.setExpiry(archived.apiKeyId, null),
    await client.listKeys(),
    await client.getKey(live.apiKeyId),
    await client.getKey(foreign.apiKeyId),
    await client.revoke(foreign.apiKeyId),
  );
  await project.setPlanLimits({ activeKeyCap: 1 });
  keep(await client.createKey('One too many'));
  await project.setPlanLimits({ activeKeyCap: 100 });
  return { live, revoked, archived, expired, foreign };
}

type Keys = Awaited<ReturnType<typeof everyRoute>>;

async function everyDecision(project: TestProject, client: RuntimeClient, keys: Keys) {
  const unknown = mintApiKey(randomBytes).plaintext;
  remember(unknown);
  const ask = async (question: Parameters<RuntimeClient['authorize']>[0]) =>
    keep(await client.authorize(question));
  for (const { plaintext } of Object.values(keys)) await ask({ apiKey: plaintext });
  const batch = Object.values(keys).map(({ plaintext }) => ({ ...QUESTION, apiKey: plaintext }));
  keep(await client.authorizeBatch([...batch, { apiKey: unknown, method: unknown, path: '/' }]));
  await ask({ apiKey: null });
  await ask({ apiKey: unknown });
  await ask({ apiKey: `${keys.live.plaintext} ` });
  await ask({ apiKey: keys.live.plaintext, path: '/v1/billing' });
  await project.setSubscription({ status: 'canceled' });
  await ask({ apiKey: keys.live.plaintext });
  await project.setSubscription({ status: 'active' });
  await project.setPlanLimits({ monthlyQuota: 0 });
  await ask({ apiKey: keys.live.plaintext });
  await project.setPlanLimits({ monthlyQuota: 1_000_000, rateLimitPerMinute: 0 });
  await ask({ apiKey: keys.live.plaintext });
  await project.setPlanLimits({ rateLimitPerMinute: 1_000_000 });
}

const escaped = (text: string) =>
  [...text].map((it) => `%${it.charCodeAt(0).toString(16)}`).join('');

/** A credential wherever a caller could put one by mistake. */
async function secretsInOddPlaces(
  project: TestProject,
  client: RuntimeClient,
  key: { apiKeyId: string; plaintext: string },
): Promise<void> {
  const { secret } = project;
  const json = { 'content-type': 'application/json' };
  const invitation = mintInvitation(randomBytes).plaintext;
  const reset = mintPasswordReset(randomBytes).plaintext;
  remember(invitation, reset);
  for (const one of [secret, key.plaintext, invitation, reset]) {
    const field = { [one]: one };
    keep(
      await client.authorize({ apiKey: one }, { secret: one }),
      await client.authorize({ apiKey: key.plaintext, path: `/v1/reports/${one}?key=${one}` }),
      await client.authorize({ apiKey: key.plaintext, method: one }),
      await client.authorize({ apiKey: [one], method: one, path: one }),
      await client.authorizeBatch([one, { [one]: one }, { apiKey: one, method: one, path: one }]),
      await client.authorizeBatch([{ ...QUESTION, apiKey: one }], { secret: one }),
      await client.authorize({ apiKey: key.plaintext }, { headers: { 'x-request-id': one } }),
      await client.authorize({ apiKey: key.plaintext }, { headers: { authorization: one } }),
      await client.authorize({ apiKey: key.plaintext }, { headers: { 'x-api-key': one } }),
      await client.listKeys({ projectId: one }),
      await client.getKey(one),
      await client.revoke(one, { headers: { 'x-request-id': one, 'user-agent': one } }),
      await client.call('GET', `/${one}?${PROJECT_SECRET_HEADER}=${one}`),
      await client.call('POST', `/rt/projects/${project.projectId}/api-keys`, { body: field }),
      await client.createKey('', { body: `{"displayName":"${one}`, headers: json }),
      await client.createKey('', { body: one, headers: { 'content-type': `text/${one}` } }),
      await client.createKey('', { body: `"${one.padEnd(20_000, one)}"`, headers: json }),
      await client.setExpiry(key.apiKeyId, one),
      await client.revoke(key.apiKeyId, { body: field }),
      await client.archive(key.apiKeyId, { secret: `${one}, ${one}` }),
      await client.authorize({ apiKey: one, method: one, path: `//${one}#${one}` }),
      await client.authorize({ apiKey: key.plaintext, path: `/v1/${escaped(one)}` }),
      await client.authorize({ apiKey: key.plaintext, path: `/${'ä'.repeat(1_010)}${one}` }),
      await client.authorizeBatch([{ apiKey: `${one}x`, method: 'GET', path: `/${one}/${one}` }]),
      await client.forwardAuth({ apiKey: one, path: `/v1/reports/${one}?key=${one}` }),
      await client.forwardAuth({ apiKey: key.plaintext, method: one, path: one }),
      await client.forwardAuth({}, { secret: one, headers: { authorization: `Bearer ${one}` } }),
      await client.forwardAuth({}, { headers: { 'x-forwarded-uri': one, 'x-request-id': one } }),
      await client.call('PUT', `/rt/projects/${project.projectId}/forward-auth/${one}?${one}`),
      await client.call('GET', `/rt/projects/${one}/forward-auth`),
      await client.listDecisions(`cursor=${one}&${one}=${one}`),
      await client.listDecisions(`pathPrefix=/${one}`),
      await client.getDecision(one),
    );
  }
}

/** Statements that the server refuses, in a lookup and in each kind of change, and lost sessions. */
async function outagesOfPostgres(
  project: TestProject,
  client: RuntimeClient,
  key: { apiKeyId: string; plaintext: string },
): Promise<void> {
  const { sql } = world.db;
  const everything = async () => {
    keep(
      await client.authorize({ apiKey: key.plaintext }),
      await client.authorizeBatch([{ ...QUESTION, apiKey: key.plaintext }]),
      await client.forwardAuth({ apiKey: key.plaintext }),
      await client.listKeys(),
      await client.getKey(key.apiKeyId),
      await client.createKey('Refused'),
      await client.setExpiry(key.apiKeyId, '2999-06-01T00:00:00Z'),
    );
  };
  await sql`alter table api_keys rename column key_digest to key_digest_elsewhere`;
  await everything();
  await sql`alter table api_keys rename column key_digest_elsewhere to key_digest`;

  await sql`alter table api_keys add constraint refused check (display_name <> 'Refused') not valid`;
  await everything();
  await sql`alter table api_keys drop constraint refused`;

  await sql`alter table audit_log rename to audit_log_elsewhere`;
  await everything();
  await sql`alter table audit_log_elsewhere rename to audit_log`;

  await sql`alter table projects rename column secret_digest to secret_digest_elsewhere`;
  await everything();
  await sql`alter table projects rename column secret_digest_elsewhere to secret_digest`;

  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name <> 'ceiba-tests'`;
  await everything();
  await until('key routes answer again', async () => (await client.listKeys()).status === 200);
  const decides = async () => (await client.authorize({ apiKey: key.plaintext })).status === 200;
  await until('decisions are made again', decides);
  // Whatever was refused is not left undone: the run after it is like the one before.
  keep(await client.getKey(key.apiKeyId), await client.listKeys());
  remember(project.secret);
}

async function outagesOfRedis(client: RuntimeClient, key: { plaintext: string }): Promise<void> {
  const decide = () => client.authorize({ apiKey: key.plaintext });
  const decides = async () => (await decide()).status === 200;
  redis.freeze();
  keep(await decide(), await decide());
  redis.thaw();
  await until('decisions are made again', decides);
  await redis.kill();
  keep(await decide());
  await redis.start();
  await until('decisions are made again', decides);

  const admin = new Redis(redis.url);
  try {
    for (const name of await admin.keys('ceiba:*')) await admin.set(name, 'not what it was');
    keep(await decide());
    for (const name of await admin.keys('ceiba:*')) await admin.del(name);
  } finally {
    admin.disconnect();
  }
  await until('decisions are made again', decides);
  keep(await decide());
}

/* ----------------------------------------------------------------------------------- the dumps */

const DIGEST_COLUMNS = '{key_digest,secret_digest,previous_secret_digest}';

/** Every row of every table, as text; the columns that hold digests only where they are wanted. */
async function dumpTables({ digests }: { digests: boolean }): Promise<string> {
  const { sql } = world.db;
  const found = await sql<{ schema: string; name: string }[]>`
    select table_schema as schema, table_name as name from information_schema.tables
    where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`;
  const texts: string[] = [];
  for (const { schema, name } of found) {
    const rows = await sql<{ text: string }[]>`
      select (to_jsonb(row) - ${digests ? '{}' : DIGEST_COLUMNS}::text[])::text as text
      from ${sql(schema)}.${sql(name)} as row`;
    texts.push(...rows.map(({ text }) => `${schema}.${name} ${text}`));
  }
  return texts.join('\n');
}

/** Every key and value, byte by byte as characters. */
async function dumpRedis(): Promise<string> {
  const admin = new Redis(redis.url);
  try {
    const texts: string[] = [];
    for (const name of await admin.keys('*')) {
      const type = await admin.type(name);
      const value =
        type === 'hash'
          ? Object.entries(await admin.hgetall(name))
          : type === 'string'
            ? await admin.getBuffer(name).then((bytes) => bytes?.toString('latin1'))
            : `unexpected ${type}`;
      texts.push(`${name} ${JSON.stringify(value)}`);
    }
    return texts.join('\n');
  } finally {
    admin.disconnect();
  }
}

/** A JSON text and every string in it, so that what was escaped is seen as well. */
function withStrings(text: string): string {
  const strings: string[] = [text];
  const visit = (value: unknown): void => {
    if (typeof value === 'string') strings.push(value);
    else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        strings.push(name);
        visit(inner);
      }
    }
  };
  for (const line of text.split('\n')) {
    try {
      visit(JSON.parse(line));
    } catch {
      // No JSON, such as a stack that Node printed: searched as it is.
    }
  }
  return strings.join('\n');
}

/* ---------------------------------------------------------------------------------- the search */

const plainForms = (credential: string): string[] => {
  const body = credential.replace(/^ceiba_(?:secret_|invite_|reset_)?/, '');
  const bytes = Buffer.from(credential);
  return [
    credential,
    body.slice(8), // what follows the display-safe prefix
    body.slice(0, 43),
    bytes.toString('hex'),
    bytes.toString('base64').replace(/=+$/, ''),
  ];
};

const digestForms = (credential: string): string[] => {
  const digest = createHash('sha256').update(credential).digest();
  return [
    digest.toString('hex'),
    digest.toString('hex').toUpperCase(),
    digest.toString('base64').replace(/=+$/, ''),
    digest.toString('base64url'),
    digest.toString('latin1'),
    digest.toString('utf8'),
    [...digest].join(','),
    [...digest].join(', '),
  ];
};

/** The forms that occur in the text, each by the credential's prefix: a failure must not leak either. */
function found(text: string, forms: (credential: string) => string[]): string[] {
  return credentials.flatMap((credential) =>
    forms(credential).flatMap((form, index) =>
      text.includes(form) ? [`${credential.slice(0, 16)}… in form ${index}`] : [],
    ),
  );
}

const everyForm = (credential: string) => [...plainForms(credential), ...digestForms(credential)];

describe('the search', () => {
  it('finds every form of every credential in a text that contains it', () => {
    expect(new Set(credentials).size).toBeGreaterThanOrEqual(9);
    for (const credential of credentials) {
      for (const form of everyForm(credential)) {
        expect(found(`{"a":"x${form}y"}`, everyForm)).not.toEqual([]);
        const line = JSON.stringify({ level: 'info', msg: `x${form}y` });
        expect(found(withStrings(line), everyForm)).not.toEqual([]);
      }
    }
  });

  it('has data to search: the run got every kind of answer and left traces', () => {
    const statuses = new Set(replies.map(({ status }) => status));
    expect([...statuses].sort()).toEqual([200, 400, 401, 403, 404, 409, 413, 415, 500, 503]);
    expect(log.split('\n').length).toBeGreaterThan(30);
    for (const word of ['project route', 'answered 503', 'internal error', 'the Runtime stops']) {
      expect(log).toContain(word);
    }
    const written = [
      'audit_log',
      'usage_hours',
      'usage_months',
      'api_keys',
      'projects',
      'decisions',
    ];
    for (const table of written) {
      expect(tables).toContain(`public.${table} `);
    }
    expect(redisText).toContain(':usage');
    expect(metricsText).toMatch(/^ceiba_decision_failures_total\{cause="redis"\} [1-9]/m);
    expect(redisText).toContain(':counter:');
    // The one place where digests are: found there, so that the search of the rest means something.
    expect(found(tablesWithDigests, digestForms)).not.toEqual([]);
  });
});

describe('no secret, no plaintext key and no hash of either is', () => {
  it('in any line of the log', () => {
    expect(found(withStrings(log), everyForm)).toEqual([]);
    // Nor the parameters of a statement, among which the hash of a key that was refused would be.
    expect(withStrings(log)).not.toMatch(/\ufffd|\bparam(?:eter)?s: /);
  });

  it('in any answer, except the plaintext in the one that created it', () => {
    for (const { text, headers } of replies) {
      expect(found(withStrings(text), everyForm)).toEqual([]);
      expect(found(JSON.stringify([...headers]), everyForm)).toEqual([]);
    }
  });

  it('in any Redis key or value', () => {
    expect(found(withStrings(redisText), everyForm)).toEqual([]);
  });

  it('in any metric, nor the id of a project or a key', () => {
    expect(found(metricsText, everyForm)).toEqual([]);
    expect(metricsText).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
  });

  it('in any table, except the digests in their own columns', () => {
    expect(found(tables, everyForm)).toEqual([]);
    expect(found(tablesWithDigests, plainForms)).toEqual([]);
  });
});
