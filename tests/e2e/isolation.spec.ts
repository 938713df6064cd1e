import { randomBytes } from 'node:crypto';
import {
  type APIRequestContext,
  type APIResponse,
  expect,
  type PlaywrightWorkerArgs,
  test,
} from '@playwright/test';
import postgres from 'postgres';
import { ACTIONS, type ActionCase, type World } from './action-matrix.ts';
import { callAction, readBuiltActions } from './call-action.ts';
import { addDecisions } from './decisions.ts';
import { ROUTES, readBuiltRoutes } from './route-matrix.ts';
import { createProject, gotoReady, newAccount, signUp } from './support.ts';

/**
 * Calls every server action, page and route handler of the build as users without access: they read
 * and write nothing. The calls go directly to the actions, without pages and scripts.
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
  await gotoReady(leaver, '/account');
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

/** Creates the items of the matrix. */
async function populate(
  projectId: string,
): Promise<Omit<World, 'projectId' | 'email' | 'password'>> {
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
  const [decisionId = ''] = await addDecisions(projectId, [
    { apiKeyId: key?.id, keyPrefix: 'ceiba_isolated', path: '/v1/isolation' },
  ]);
  return {
    apiKeyId: key?.id,
    policyId: policy?.id,
    decisionId,
    planId: plan?.id,
    userId: project?.userId,
    secretCreatedAt: project?.secretCreatedAt.toISOString(),
  };
}

/**
 * A digest of everything that an action can change, except attempts, which are counted in any case,
 * and usage and recorded decisions, which background tasks write.
 */
async function everything(): Promise<string> {
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'
      and table_name <> 'sign_in_attempts' and not starts_with(table_name, 'usage_')
      and not starts_with(table_name, 'decision') order by 1`;
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

test('the matrix has every action of the build, and no other', () => {
  expect(Object.keys(ACTIONS).sort()).toEqual(built.map(({ name }) => name).sort());
});

const FOREIGN_ORIGINS: Record<string, Record<string, string>> = {
  absent: {},
  null: { origin: 'null' },
  foreign: { origin: 'https://evil.example' },
  'foreign, with forged forwarded headers': {
    origin: 'https://evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    forwarded: 'host=evil.example;proto=https',
  },
};

/** An answer without the fields that it returns to the sender. */
const disclosedBy = ({ text }: { text: string }) => text.replaceAll(/"values":\{[^}]*\}/g, '');

/** IDs that only the owner may see, and the name and prefix of the owner's key. */
const ownersData = () =>
  new RegExp(
    [world.projectId, world.apiKeyId, world.policyId, world.decisionId, 'ceiba_isolated'].join('|'),
  );

const PROBE: World = {
  projectId: 'the project',
  apiKeyId: 'the key',
  policyId: 'the policy',
  decisionId: 'the decision',
  planId: '',
  userId: '',
  secretCreatedAt: '',
  email: '',
  password: '',
};

/** Whether a request names a key, a policy or a decision. */
const namesItem = (sent: string) =>
  [PROBE.apiKeyId, PROBE.policyId, PROBE.decisionId].some((id) => sent.includes(id));

for (const [name, action] of Object.entries(ACTIONS)) {
  test(`${name}: refuses a foreign origin and changes nothing`, async () => {
    const before = await everything();
    for (const headers of Object.values(FOREIGN_ORIGINS)) {
      const answer = await call(owner, name, action, headers);
      expect(answer.status).toBe(403);
      expect(answer.state).toBeUndefined();
      expect(answer.redirect).toBeUndefined();
      expect(disclosedBy(answer)).not.toMatch(ownersData());
    }
    expect(await everything()).toBe(before);
  });

  if (action.access !== 'anybody') {
    test(`${name}: refuses a request without a session and changes nothing`, async () => {
      const before = await everything();
      for (const request of [anonymous, signedOut]) {
        const answer = await call(request, name, action);
        expect(answer.state).toMatchObject({ kind: 'refused', code: 'signed_out' });
        expect(disclosedBy(answer)).not.toMatch(ownersData());
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

  if (namesItem(JSON.stringify(action.fields(PROBE)))) {
    test(`${name}: does not find an item of another project`, async () => {
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

test('the matrix has every page and route of the build, and no other', () => {
  expect(Object.keys(ROUTES).sort()).toEqual(readBuiltRoutes().sort());
});

/** The requests of a browser and of a link inside the console. */
const WAYS: ((request: APIRequestContext, path: string) => Promise<APIResponse>)[] = [
  (request, path) => request.get(path, { maxRedirects: 0 }),
  (request, path) =>
    request.get(`${path}${path.includes('?') ? '&' : '?'}_rsc`, {
      headers: { rsc: '1' },
      maxRedirects: 0,
    }),
];

/** A link's answer has the status 200, and a redirect or an error in its body. */
const wholeOf = async (answer: APIResponse) =>
  `${answer.status()} ${answer.headers().location ?? ''} ${await answer.text()}`;

/** Data that only the owner's pages show; the IDs are in the request already. */
const ownersText = () => new RegExp(`${world.email}|ceiba_isolated|/v1/isolation`);

for (const [name, { access, path }] of Object.entries(ROUTES)) {
  test(`${name}: is shown only to users with access`, async () => {
    const before = await everything();
    const outsiders = access === 'anybody' ? [] : [anonymous, signedOut];
    const others = access === 'owner' || access === 'administrator' ? [stranger] : [];
    if (access === 'administrator') others.push(owner);
    for (const ask of WAYS) {
      for (const request of outsiders) {
        const shown = await wholeOf(await ask(request, path(world)));
        expect(shown).toMatch(/^307 [^ ]*\/sign-in|NEXT_REDIRECT;\w+;\/sign-in/);
        expect(shown).not.toMatch(ownersText());
      }
      for (const request of others) {
        const shown = await wholeOf(await ask(request, path(world)));
        expect(shown).toMatch(/^404 |NEXT_HTTP_ERROR_FALLBACK;404/);
        if (request !== owner) expect(shown).not.toMatch(ownersText());
      }
      if (namesItem(path(PROBE))) {
        const answer = await ask(stranger, path({ ...world, projectId: strangersProjectId }));
        expect(await answer.text()).not.toMatch(ownersText());
      }
    }
    if (access !== 'administrator') {
      const answer = await owner.get(path(world));
      expect(answer.status()).toBe(200);
      const isPersonal = access !== 'anybody' && name.endsWith('/page');
      if (isPersonal) expect(await answer.text()).toMatch(ownersText());
    }
    expect(await everything()).toBe(before);
  });
}

test('the routes of next-auth refuse a foreign origin', async () => {
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

/** Last, because some actions end the owner's sessions. */
test('each action succeeds for the right user, which proves that the calls above are valid', async ({
  browser,
  playwright,
  baseURL,
}) => {
  // Each action gets a new account and a new project.
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

test('each administrator action and page works for an administrator', async ({
  browser,
  playwright,
  baseURL,
}) => {
  const context = await browser.newContext({ baseURL: origin });
  const administrator = await signUp(await context.newPage(), newAccount());
  await sql`update users set is_administrator = true where email = ${administrator.email}`;
  const request = await contextOf(playwright, baseURL ?? origin, await context.storageState());
  await context.close();
  try {
    for (const [name, { access, path }] of Object.entries(ROUTES)) {
      if (access !== 'administrator') continue;
      expect((await request.get(path(world))).status(), name).toBe(200);
    }
    for (const [name, action] of Object.entries(ACTIONS)) {
      if (action.access !== 'administrator') continue;
      const answer = await callAction(request, {
        id: idOf(name),
        path: action.path(world),
        fields: action.fields({ ...world, ...(await unusedUserAndPlan()) }),
        headers: { origin },
      });
      expect(answer.state, `${name} ${answer.text}`).toMatchObject({ kind: 'done' });
    }
  } finally {
    await sql`update users set is_administrator = false where is_administrator
      and (email = ${administrator.email} or email like 'matrix-%')`;
    await sql`delete from plans where name like 'Matrix %'`;
    await sql`delete from settings`;
    await request.dispose();
  }
});

/** A user without projects, and a plan without projects. */
async function unusedUserAndPlan(): Promise<Pick<World, 'userId' | 'email' | 'planId'>> {
  const name = randomBytes(6).toString('hex');
  const email = `matrix-${name}@example.com`;
  const [user] = await sql`insert into users (email) values (${email}) returning id`;
  const [plan] = await sql`
    insert into plans (name, active_key_cap, rate_limit_per_minute, monthly_quota)
    values (${`Matrix ${name}`}, 1, 1, 1) returning id`;
  return { userId: user?.id, email, planId: plan?.id };
}
