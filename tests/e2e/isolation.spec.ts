import { randomBytes } from 'node:crypto';
import { type APIRequestContext, expect, type PlaywrightWorkerArgs, test } from '@playwright/test';
import postgres from 'postgres';
import { ACTIONS, type ActionCase, type World } from './action-matrix.ts';
import { callAction, readBuiltActions } from './call-action.ts';
import { createProject, newAccount, signUp } from './support.ts';

/**
 * Every server action of the build, called as those who may not: nothing is read and nothing is
 * written. The calls go to the actions themselves; no page and no script stands in front of them.
 */

type Playwright = PlaywrightWorkerArgs['playwright'];

const built = readBuiltActions();
const idOf = (name: string) => {
  const action = built.find((candidate) => candidate.name === name);
  if (action === undefined) throw new Error(`${name} is not in the build`);
  return action.id;
};

let owner: APIRequestContext;
let stranger: APIRequestContext;
let signedOut: APIRequestContext;
let anonymous: APIRequestContext;
let world: World;
let strangersProjectId: string;
let origin: string;
let sql: postgres.Sql;

test.beforeAll(async ({ browser, playwright, baseURL }) => {
  if (!baseURL || !process.env.DATABASE_URL) throw new Error('needs a stack and its DATABASE_URL');
  origin = new URL(baseURL).origin;
  sql = postgres(process.env.DATABASE_URL, { max: 1 });
  const page = await (await browser.newContext({ baseURL })).newPage();
  const account = await signUp(page);
  const { projectId } = await createProject(page, 'Isolation');
  world = { projectId, ...(await populate(projectId)), ...account };
  owner = await contextOf(playwright, baseURL, await page.context().storageState());

  const strangerPage = await (await browser.newContext({ baseURL })).newPage();
  await signUp(strangerPage);
  strangersProjectId = (await createProject(strangerPage, 'Elsewhere')).projectId;
  stranger = await contextOf(playwright, baseURL, await strangerPage.context().storageState());

  const leaver = await (await browser.newContext({ baseURL })).newPage();
  await signUp(leaver);
  const copied = await leaver.context().storageState();
  await leaver.goto('/account');
  await leaver.getByRole('button', { name: 'Sign out', exact: true }).click();
  await leaver.waitForURL((url) => url.pathname === '/');
  signedOut = await contextOf(playwright, baseURL, copied);
  anonymous = await contextOf(playwright, baseURL);
  for (const opened of [page, strangerPage, leaver]) await opened.context().close();
});

test.afterAll(async () => {
  for (const context of [owner, stranger, signedOut, anonymous]) await context?.dispose();
  await sql?.end();
});

function contextOf(
  playwright: Playwright,
  baseURL: string,
  storageState?: Awaited<ReturnType<APIRequestContext['storageState']>>,
) {
  return playwright.request.newContext({
    baseURL,
    ...(storageState === undefined ? {} : { storageState }),
  });
}

/** What the ids of actions name. */
async function populate(
  projectId: string,
): Promise<Pick<World, 'apiKeyId' | 'policyId' | 'planId' | 'userId' | 'secretCreatedAt'>> {
  const [key] = await sql`
    insert into api_keys (project_id, display_name, key_prefix, key_digest)
    values (${projectId}, 'Isolation', 'ceiba_isolated', ${randomBytes(32)}) returning id`;
  const [policy] = await sql`
    insert into policies (project_id, method, path_pattern)
    values (${projectId}, 'GET', '/v1/isolation') returning id`;
  const [plan] = await sql`select id from plans where name = 'Pro'`;
  const [project] = await sql`
    select owner_id as "userId", secret_created_at as "secretCreatedAt"
    from projects where id = ${projectId}`;
  return {
    apiKeyId: key?.id,
    policyId: policy?.id,
    planId: plan?.id,
    userId: project?.userId,
    secretCreatedAt: project?.secretCreatedAt.toISOString(),
  };
}

/** Everything that an action can change, except the count of attempts, which is meant to rise. */
async function everything(): Promise<string> {
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'
      and table_name not in ('sign_in_attempts', 'usage_hours', 'usage_months') order by 1`;
  const states: string[] = [];
  for (const { name } of tables) {
    const [row] = await sql`
      select count(*)::int as count, md5(coalesce(string_agg(md5(t::text), '' order by md5(t::text)), '')) as digest
      from ${sql(name)} t`;
    states.push(`${name} ${row?.count} ${row?.digest}`);
  }
  return states.join('\n');
}

async function call(
  request: APIRequestContext,
  name: string,
  action: ActionCase,
  headers: Record<string, string> = { origin },
) {
  return callAction(request, {
    id: idOf(name),
    path: action.path(world),
    fields: action.fields(world),
    headers,
  });
}

test('the matrix names every action of the build, and no other', () => {
  expect(Object.keys(ACTIONS).sort()).toEqual(built.map(({ name }) => name).sort());
});

const FOREIGN_ORIGINS: Record<string, Record<string, string>> = {
  absent: {},
  null: { origin: 'null' },
  foreign: { origin: 'https://evil.example' },
  'foreign, spoofed as the host': {
    origin: 'https://evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    forwarded: 'host=evil.example;proto=https',
  },
};

/** An answer without the fields that it gives back to whoever sent them. */
const toldBy = ({ text }: { text: string }) => text.replaceAll(/"values":\{[^}]*\}/g, '');

/** Ids that nobody else may learn, and the name and prefix of the owner's key. */
const whatTheOwnerHas = () =>
  new RegExp([world.projectId, world.apiKeyId, world.policyId, 'ceiba_isolated'].join('|'));

/** Whether an action takes an id besides its project's. */
function namesWhatAProjectHolds(action: ActionCase): boolean {
  const probe = {
    projectId: 'project',
    apiKeyId: 'key',
    policyId: 'policy',
    planId: '',
    userId: '',
    secretCreatedAt: '',
    email: '',
    password: '',
  };
  const sent = Object.values(action.fields(probe));
  return sent.includes(probe.apiKeyId) || sent.includes(probe.policyId);
}

for (const [name, action] of Object.entries(ACTIONS)) {
  test(`${name}: does nothing for an origin that is not its own`, async () => {
    const before = await everything();
    for (const headers of Object.values(FOREIGN_ORIGINS)) {
      const answer = await call(owner, name, action, headers);
      expect(answer.state?.kind).not.toBe('done');
      expect(answer.redirect).toBeUndefined();
      expect(toldBy(answer)).not.toMatch(whatTheOwnerHas());
    }
    expect(await everything()).toBe(before);
  });

  if (action.access !== 'anybody') {
    test(`${name}: does nothing for whoever is not signed in`, async () => {
      const before = await everything();
      for (const request of [anonymous, signedOut]) {
        const answer = await call(request, name, action);
        expect(answer.state).toMatchObject({ kind: 'refused', code: 'signed_out' });
        expect(toldBy(answer)).not.toMatch(whatTheOwnerHas());
      }
      expect(await everything()).toBe(before);
    });
  }

  if (action.access === 'owner' || action.access === 'administrator') {
    test(`${name}: does not exist for another account`, async () => {
      const before = await everything();
      const answer = await call(stranger, name, action);
      expect(answer.state).toMatchObject({ kind: 'refused', code: 'not_found' });
      expect(await everything()).toBe(before);
    });
  }

  if (namesWhatAProjectHolds(action)) {
    test(`${name}: finds nothing of another project under one’s own`, async () => {
      const before = await everything();
      const mixed = { ...world, projectId: strangersProjectId };
      const answer = await callAction(stranger, {
        id: idOf(name),
        path: action.path(mixed),
        fields: action.fields(mixed),
        headers: { origin },
      });
      expect(answer.state).toMatchObject({ kind: 'refused', code: 'not_found' });
      expect(await everything()).toBe(before);
    });
  }
}

test('signing in and out through the routes needs the origin too', async () => {
  const before = await everything();
  const { csrfToken } = await (await owner.get('/api/auth/csrf')).json();
  for (const headers of Object.values(FOREIGN_ORIGINS)) {
    for (const route of ['callback/credentials', 'signout', 'signin/credentials']) {
      const response = await owner.post(`/api/auth/${route}`, {
        headers,
        form: { csrfToken, json: 'true', email: world.email, password: world.password },
      });
      expect(response.status()).toBe(403);
      expect(response.headers()['set-cookie'] ?? '').not.toContain('session-token');
    }
  }
  expect(await everything()).toBe(before);
});

/** Last, for it uses what the calls above must not: some of them end the owner's sessions. */
test('each action does its work when everything is right, so that refusals above mean something', async ({
  browser,
  playwright,
  baseURL,
}) => {
  // An account and a project of its own for each of some thirty actions.
  test.setTimeout(300_000);
  for (const [name, action] of Object.entries(ACTIONS)) {
    if (action.access === 'administrator') continue;
    const page = await (await browser.newContext({ baseURL: origin })).newPage();
    const account = await signUp(page, newAccount());
    const { projectId } = await createProject(page, 'Isolation');
    const storage = await page.context().storageState();
    const itsWorld = { projectId, ...(await populate(projectId)), ...account };
    const request = await contextOf(playwright, baseURL ?? origin, storage);
    const answer = await callAction(request, {
      id: idOf(name),
      path: action.path(itsWorld),
      fields: action.fields(itsWorld),
      headers: { origin },
    });
    if (action.redirects) expect(answer.redirect, name).toMatch(action.redirects);
    else expect(answer.state, `${name} ${answer.text}`).toMatchObject({ kind: 'done' });
    await request.dispose();
    await page.context().close();
  }
});
