import { randomBytes } from 'node:crypto';
import { mintInvitation, mintPasswordReset } from '@ceiba/domain';
import {
  type APIRequestContext,
  type APIResponse,
  expect,
  type PlaywrightWorkerArgs,
  test,
} from '@playwright/test';
import postgres from 'postgres';
import {
  ACTIONS,
  type Access,
  type ActionCase,
  isRole,
  ROLES,
  type Role,
  suffices,
  type World,
} from './action-matrix.ts';
import { addAlertMail, addDestination } from './alerts.ts';
import { builtActions, callAction, idOf } from './call-action.ts';
import { addDecisions } from './decisions.ts';
import { ROUTES, type RouteCase, readBuiltRoutes } from './route-matrix.ts';
import { type Account, newAccount, postToAuth, register } from './support.ts';

/**
 * Calls every server action, page and route handler of the build as every kind of user: without access
 * they read and write nothing, with access the same calls succeed. The calls go directly to the
 * actions, without pages and scripts.
 */

type Playwright = PlaywrightWorkerArgs['playwright'];

/** A user who is signed in. */
interface Visitor extends Account {
  userId: string;
  request: APIRequestContext;
}

let inRole: Record<Role, Visitor>;
/** Has a project of their own, and no role in the others. */
let stranger: Visitor;
let signedOut: APIRequestContext;
let anonymous: APIRequestContext;
let world: World;
let strangersProjectId: string;
let origin: string;
let sql: postgres.Sql;
let newContext: () => Promise<APIRequestContext>;
const opened: APIRequestContext[] = [];

test.beforeAll(async ({ playwright, baseURL }) => {
  if (!baseURL || !process.env.DATABASE_URL) throw new Error('needs a stack and its DATABASE_URL');
  origin = new URL(baseURL).origin;
  sql = postgres(process.env.DATABASE_URL, { max: 1 });
  newContext = () => contextOf(playwright, baseURL);
  // First, because the first user of an installation is an administrator.
  const leaver = await visitor();
  signedOut = await contextOf(playwright, baseURL, await leaver.request.storageState());
  await postToAuth(leaver.request, 'signout', {});
  inRole = { viewer: await visitor(), developer: await visitor(), owner: await visitor() };
  world = await createWorld();
  stranger = await visitor();
  strangersProjectId = (await createProject(stranger)).projectId;
  anonymous = await newContext();
});

test.afterAll(async () => {
  for (const context of opened) await context.dispose();
  await sql?.end();
});

async function contextOf(
  playwright: Playwright,
  baseURL: string,
  storageState?: Awaited<ReturnType<APIRequestContext['storageState']>>,
) {
  const context = await playwright.request.newContext({
    baseURL,
    ...(storageState === undefined ? {} : { storageState }),
  });
  opened.push(context);
  return context;
}

/** A new user, signed in. */
async function visitor(): Promise<Visitor> {
  const account = newAccount();
  const request = await newContext();
  await register(request, account);
  const [user] = await sql`select id from users where email = ${account.email}`;
  return { ...account, userId: user?.id, request };
}

/** Creates a project of a user. */
async function createProject(
  user: Visitor,
): Promise<Pick<World, 'projectId' | 'projectName' | 'secretCreatedAt'>> {
  const projectName = `Isolation ${randomBytes(6).toString('hex')}`;
  const [project] = await sql`
    with made as (
      insert into projects (owner_id, name, secret_digest)
      values (${user.userId}, ${projectName}, ${randomBytes(32)})
      returning id, secret_created_at)
    insert into subscriptions (project_id, plan_id)
    select made.id, plans.id from made, plans where plans.name = 'Free'
    returning project_id, (select secret_created_at from made)`;
  return {
    projectId: project?.project_id,
    projectName,
    secretCreatedAt: project?.secret_created_at.toISOString(),
  };
}

/** A project with a user in each role, and the items of the matrix. */
async function createWorld(): Promise<World> {
  const { owner, developer, viewer } = inRole;
  const project = await createProject(owner);
  const { projectId } = project;
  const [member] = await sql`
    insert into users (email) values (${`member-${randomBytes(6).toString('hex')}@example.com`})
    returning id`;
  await sql`
    insert into project_members (project_id, user_id, role) values
      (${projectId}, ${developer.userId}, 'developer'), (${projectId}, ${viewer.userId}, 'viewer'),
      (${projectId}, ${member?.id}, 'viewer')`;
  const { email, password, userId } = owner;
  return {
    ...project,
    ...(await populate(projectId)),
    ...(await invite(projectId, userId)),
    ...(await addDestination(projectId)),
    memberId: member?.id,
    sessionId: await sessionOf(owner),
    ...(await waysInOf(owner)),
    mailSecret: await addAlertMail(projectId),
    userId,
    email,
    password,
  };
}

/** Another session of a user. */
async function sessionOf({ userId }: Visitor): Promise<string> {
  const [session] = await sql`
    insert into sessions (user_id, session_version, expires_at)
    values (${userId}, 0, now() + interval '1 day') returning id`;
  return session?.id;
}

/** A passkey and an access token of a user, and a link to reset the password. */
async function waysInOf({
  userId,
}: Visitor): Promise<Pick<World, 'passkeyId' | 'resetSecret' | 'tokenId'>> {
  const [token] = await sql`
    insert into access_tokens (user_id, name, token_prefix, token_digest, access, expires_at)
    values (${userId}, 'Isolation', 'ceiba_token_isolated', ${randomBytes(32)}, 'write',
      now() + interval '1 day') returning id`;
  const [passkey] = await sql`
    insert into passkeys
      (user_id, credential_id, public_key, counter, transports, name, is_backed_up)
    values (${userId}, ${randomBytes(16).toString('hex')}, '\\x01', 0, '{}', 'Isolation', false)
    returning id`;
  const { digest, plaintext } = mintPasswordReset(randomBytes);
  await sql`
    insert into password_resets (user_id, token_digest, expires_at)
    values (${userId}, ${digest}, now() + interval '1 day')
    on conflict (user_id, sent_to) do update set token_digest = excluded.token_digest`;
  return { passkeyId: passkey?.id, resetSecret: plaintext, tokenId: token?.id };
}

async function invite(
  projectId: string,
  invitedBy: string,
): Promise<Pick<World, 'invitationId' | 'invitationSecret'>> {
  const token = mintInvitation(randomBytes);
  const [invitation] = await sql`
    insert into project_invitations (project_id, role, label, token_digest, invited_by, expires_at)
    values (${projectId}, 'viewer', 'Isolation', ${token.digest}, ${invitedBy},
      now() + interval '1 day') returning id`;
  return { invitationId: invitation?.id, invitationSecret: token.plaintext };
}

type Items = 'apiKeyId' | 'customerId' | 'customerPlanId' | 'policyId' | 'planId' | 'decisionId';

/** Creates a customer with a key, a plan for customers, a policy and a decision. */
async function populate(projectId: string): Promise<Pick<World, Items>> {
  const [customerPlan] = await sql`
    insert into customer_plans (project_id, name) values (${projectId}, 'Isolation plan')
    returning id`;
  const [customer] = await sql`
    insert into customers (project_id, external_id)
    values (${projectId}, 'isolated-customer') returning id`;
  const [key] = await sql`
    insert into api_keys (project_id, display_name, key_prefix, key_digest, customer_id)
    values (${projectId}, 'Isolation', 'ceiba_isolated', ${randomBytes(32)}, ${customer?.id})
    returning id`;
  const [policy] = await sql`
    insert into policies (project_id, method, path_pattern)
    values (${projectId}, 'GET', '/v1/isolation') returning id`;
  const [plan] = await sql`select id from plans where name = 'Pro'`;
  const [decisionId = ''] = await addDecisions(projectId, [
    {
      apiKeyId: key?.id,
      customerId: customer?.id,
      keyPrefix: 'ceiba_isolated',
      path: '/v1/isolation',
    },
  ]);
  return {
    apiKeyId: key?.id,
    customerId: customer?.id,
    customerPlanId: customerPlan?.id,
    policyId: policy?.id,
    planId: plan?.id,
    decisionId,
  };
}

/**
 * A digest of everything that an action can change, except attempts, which are counted in any case,
 * when a session was last seen, and what background tasks write: usage, recorded decisions, deliveries of
 * alerts, and the leases, to which readiness writes.
 */
async function everything(): Promise<string> {
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'
      and table_name <> 'sign_in_attempts' and not starts_with(table_name, 'usage_')
      and not starts_with(table_name, 'decision')
      and table_name not in ('alert_events', 'alert_deliveries', 'alert_attempts', 'runtime_leases')
    order by 1`;
  const states: string[] = [];
  for (const { name } of tables) {
    const [row] = await sql`
      select count(*)::int as count, md5(coalesce(string_agg(row, '' order by row), '')) as digest
      from (select md5((to_jsonb(t) - 'last_seen_at' - 'failing_since')::text) as row from ${sql(name)} t) rows`;
    states.push(`${name} ${row?.count} ${row?.digest}`);
  }
  return states.join('\n');
}

/** Expects that the calls change nothing. The digest is taken once for all of them. */
async function changingNothing(calls: () => Promise<void>): Promise<void> {
  const before = await everything();
  await calls();
  expect(await everything()).toBe(before);
}

async function call(
  request: APIRequestContext,
  name: string,
  action: ActionCase,
  {
    seen = world,
    fields = action.fields(seen),
    headers = { origin },
  }: { seen?: World; fields?: Record<string, string>; headers?: Record<string, string> } = {},
) {
  return callAction(request, {
    id: idOf(name),
    path: action.path(seen),
    fields,
    headers,
  });
}

test('the matrix has every action of the build, and no other', () => {
  expect(Object.keys(ACTIONS).sort()).toEqual(
    builtActions()
      .map(({ name }) => name)
      .sort(),
  );
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

/** IDs that only users of the project may see, the prefix of its key, and the name of its customer. */
const projectsData = () => {
  const { projectId, apiKeyId, customerId, customerPlanId, policyId, decisionId } = world;
  const ids = [projectId, apiKeyId, customerId, customerPlanId, policyId, decisionId];
  return new RegExp([...ids, 'ceiba_isolated', 'isolated-customer'].join('|'));
};

const PROBE: World = {
  projectId: 'the project',
  projectName: '',
  memberId: 'the member',
  invitationId: 'the invitation',
  invitationSecret: '',
  apiKeyId: 'the key',
  customerId: 'the customer',
  customerPlanId: 'the customer plan',
  policyId: 'the policy',
  decisionId: 'the decision',
  destinationId: 'the destination',
  deliveryId: 'the delivery',
  planId: '',
  userId: '',
  sessionId: 'the session',
  passkeyId: 'the passkey',
  tokenId: 'the token',
  resetSecret: '',
  mailSecret: '',
  secretCreatedAt: '',
  email: '',
  password: '',
};

const ITEMS = /^the (?!project$|member$)/;

/** Whether a request names a part of a project, or a session. */
const namesItem = (sent: string) =>
  Object.values(PROBE).some((id) => ITEMS.test(id) && sent.includes(id));

/** How a call of a user is refused; null if it is permitted. */
function refusalOf(access: Access, role: Role | null): 'not_found' | 'forbidden' | null {
  if (access === 'anybody' || access === 'signed-in') return null;
  if (access === 'administrator' || role === null) return 'not_found';
  return suffices(role, access) ? null : 'forbidden';
}

const refusedActions = (role: Role | null) =>
  Object.entries(ACTIONS).flatMap(([name, action]) => {
    const code = refusalOf(action.access, role);
    return code === null ? [] : [{ name, action, code }];
  });

test('every action refuses a foreign origin and changes nothing', async () => {
  await changingNothing(async () => {
    for (const [name, action] of Object.entries(ACTIONS)) {
      for (const headers of Object.values(FOREIGN_ORIGINS)) {
        const answer = await call(inRole.owner.request, name, action, { headers });
        expect(answer.status, name).toBe(403);
        expect(answer.state, name).toBeUndefined();
        expect(answer.redirect, name).toBeUndefined();
        expect(disclosedBy(answer), name).not.toMatch(projectsData());
      }
    }
  });
});

test('every action that needs a session refuses a request without one and changes nothing', async () => {
  await changingNothing(async () => {
    for (const [name, action] of Object.entries(ACTIONS)) {
      if (action.access === 'anybody') continue;
      for (const request of [anonymous, signedOut]) {
        const answer = await call(request, name, action);
        expect(answer.state, name).toMatchObject({ kind: 'refused', code: 'signed_out' });
        expect(disclosedBy(answer), name).not.toMatch(projectsData());
      }
    }
  });
});

test('no action of a project or of administrators exists for another account', async () => {
  await changingNothing(async () => {
    for (const { name, action, code } of refusedActions(null)) {
      const answer = await call(stranger.request, name, action);
      expect(answer.state, name).toMatchObject({ kind: 'refused', code });
      expect(disclosedBy(answer), name).not.toMatch(projectsData());
    }
  });
});

/** What is wrong with an input is for those who may use the action. */
const withoutInput = (action: ActionCase): Record<string, string> => {
  const { projectId } = action.fields(world);
  return projectId === undefined ? {} : { projectId };
};

for (const role of ROLES) {
  test(`every action that a ${role} may not use is refused and changes nothing`, async () => {
    await changingNothing(async () => {
      for (const { name, action, code } of refusedActions(role)) {
        for (const fields of [action.fields(world), withoutInput(action)]) {
          const answer = await call(inRole[role].request, name, action, { fields });
          expect(answer.state, name).toMatchObject({ kind: 'refused', code, fieldErrors: {} });
        }
      }
    });
  });
}

test('no action finds an item of another project or account', async () => {
  await changingNothing(async () => {
    const mixed = { ...world, projectId: strangersProjectId };
    for (const [name, action] of Object.entries(ACTIONS)) {
      if (!namesItem(JSON.stringify(action.fields(PROBE)))) continue;
      const answer = await call(stranger.request, name, action, { seen: mixed });
      if (action.isSearch) expect(answer.text, name).not.toMatch(projectsText());
      else expect(answer.state, name).toMatchObject({ kind: 'refused', code: 'not_found' });
    }
  });
});

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

/** Data that only the project's pages show; the IDs are in the request already. */
const projectsText = () =>
  new RegExp(`${world.email}|ceiba_isolated|isolated-customer|Isolation plan|/v1/isolation`);

const REFUSED_PAGE = {
  signed_out: /^307 [^ ]*\/sign-in|NEXT_REDIRECT;\w+;\/sign-in/,
  not_found: /^404 |NEXT_HTTP_ERROR_FALLBACK;404/,
  forbidden: /^403 |NEXT_HTTP_ERROR_FALLBACK;403/,
} as const;

test('every page and route is refused to users without access', async () => {
  test.setTimeout(180_000);
  const visitors: [Role | null, APIRequestContext][] = [
    [null, stranger.request],
    ...ROLES.map((role): [Role, APIRequestContext] => [role, inRole[role].request]),
  ];
  await changingNothing(async () => {
    for (const [name, { access, path }] of Object.entries(ROUTES)) {
      if (access === 'anybody') continue;
      for (const ask of WAYS) {
        for (const request of [anonymous, signedOut]) {
          const shown = await wholeOf(await ask(request, path(world)));
          expect(shown, name).toMatch(REFUSED_PAGE.signed_out);
          expect(shown, name).not.toMatch(projectsText());
        }
        for (const [role, request] of visitors) {
          const code = refusalOf(access, role);
          if (code === null) continue;
          const shown = await wholeOf(await ask(request, path(world)));
          expect(shown, `${name} as ${role}`).toMatch(REFUSED_PAGE[code]);
          if (role !== 'owner') expect(shown, name).not.toMatch(projectsText());
        }
        if (namesItem(path(PROBE))) {
          const mixed = { ...world, projectId: strangersProjectId };
          const answer = await ask(stranger.request, path(mixed));
          expect(await answer.text(), name).not.toMatch(projectsText());
        }
      }
    }
  });
});

/** The status, and the text of an answer that ends. */
async function read(request: APIRequestContext, path: string, { isStream }: RouteCase) {
  if (!isStream) {
    const answer = await request.get(path);
    return { status: answer.status(), text: await answer.text() };
  }
  const { cookies } = await request.storageState();
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const connection = new AbortController();
  const answer = await fetch(`${origin}${path}`, {
    headers: { cookie },
    signal: connection.signal,
  });
  const first = await answer.body?.getReader().read();
  connection.abort();
  return { status: answer.status, text: new TextDecoder().decode(first?.value) };
}

test('every page and route is shown to each role with access, and changes nothing', async () => {
  test.setTimeout(180_000);
  await changingNothing(async () => {
    for (const [name, route] of Object.entries(ROUTES)) {
      const { access, path } = route;
      for (const role of ROLES) {
        if (refusalOf(access, role) !== null) continue;
        if (!isRole(access) && role !== 'owner') continue;
        const { status, text } = await read(inRole[role].request, path(world), route);
        expect(status, `${name} as ${role}`).toBe(200);
        const isPersonal = access !== 'anybody' && name.endsWith('/page');
        if (isPersonal && role === 'owner') expect(text, name).toMatch(projectsText());
      }
    }
  });
});

test('the routes of next-auth refuse a foreign origin', async () => {
  await changingNothing(async () => {
    const { request } = inRole.owner;
    const { csrfToken } = await (await request.get('/api/auth/csrf')).json();
    for (const headers of Object.values(FOREIGN_ORIGINS)) {
      for (const route of ['callback/credentials', 'signout', 'signin/credentials']) {
        const response = await request.post(`/api/auth/${route}`, {
          headers,
          form: { csrfToken, json: 'true', email: world.email, password: world.password },
        });
        expect(response.status()).toBe(403);
        expect(response.headers()['set-cookie'] ?? '').not.toContain('session-token');
      }
    }
  });
});

for (const role of ROLES) {
  test(`each action of a project that a ${role} may use succeeds, in a project of its own`, async () => {
    test.setTimeout(180_000);
    for (const [name, action] of Object.entries(ACTIONS)) {
      if (!isRole(action.access) || !suffices(role, action.access)) continue;
      const answer = await call(inRole[role].request, name, action, { seen: await createWorld() });
      const refusal = action.refuses ?? (role === 'owner' ? action.refusesOwner : undefined);
      if (refusal !== undefined) {
        expect(answer.state, name).toMatchObject({ kind: 'refused', code: refusal });
      } else if (action.redirects) expect(answer.redirect, name).toMatch(action.redirects);
      else expect(answer.state, `${name} ${answer.text}`).toMatchObject({ kind: 'done' });
    }
  });
}

test('each action of an account succeeds, which proves that the calls above are valid', async () => {
  test.setTimeout(180_000);
  for (const [name, action] of Object.entries(ACTIONS)) {
    if (action.access !== 'signed-in' && action.access !== 'anybody') continue;
    const user = await visitor();
    const { email, password } = user;
    const sessionId = await sessionOf(user);
    const ways = await waysInOf(user);
    const seen = { ...(await createWorld()), sessionId, ...ways, email, password };
    const answer = await call(user.request, name, action, { seen });
    if (action.refusesAlone) {
      expect(answer.state, name).toMatchObject({ kind: 'refused', code: action.refusesAlone });
    } else if (action.redirects) expect(answer.redirect, name).toMatch(action.redirects);
    else expect(answer.state, `${name} ${answer.text}`).toMatchObject({ kind: 'done' });
  }
});

test('every change of an account that takes a password refuses a wrong one, and none', async () => {
  for (const [name, action] of Object.entries(ACTIONS)) {
    const takesPassword = 'currentPassword' in action.fields(PROBE);
    if (action.access !== 'signed-in' || action.refusesAlone || !takesPassword) continue;
    const user = await visitor();
    const seen = { ...world, ...(await waysInOf(user)), email: user.email };
    for (const password of ['a wrong password', '']) {
      const answer = await call(user.request, name, action, { seen: { ...seen, password } });
      expect(answer.state, name).toMatchObject({
        kind: 'refused',
        fieldErrors: { currentPassword: expect.any(String) },
      });
    }
  }
});

test('each administrator action and page works for an administrator', async () => {
  const administrator = await visitor();
  await sql`update users set is_administrator = true where id = ${administrator.userId}`;
  try {
    for (const [name, { access, path }] of Object.entries(ROUTES)) {
      if (access !== 'administrator') continue;
      expect((await administrator.request.get(path(world))).status(), name).toBe(200);
    }
    for (const [name, action] of Object.entries(ACTIONS)) {
      if (action.access !== 'administrator') continue;
      const { password } = administrator;
      const seen = { ...world, ...(await unusedUserAndPlan()), password };
      const answer = await call(administrator.request, name, action, { seen });
      expect(answer.state, `${name} ${answer.text}`).toMatchObject({ kind: 'done' });
    }
    for (const [name, action] of Object.entries(ACTIONS)) {
      // Every change of an account; a stolen session alone must make none.
      if (action.access !== 'administrator' || !('userId' in action.fields(PROBE))) continue;
      const seen = { ...world, ...(await unusedUserAndPlan()), password: 'a wrong password' };
      const answer = await call(administrator.request, name, action, { seen });
      expect(answer.state, name).toMatchObject({
        kind: 'refused',
        fieldErrors: { currentPassword: expect.any(String) },
      });
    }
    for (const name of ['createPasswordLink', 'removeFactors']) {
      const fields = { userId: administrator.userId };
      const id = idOf(`(console)/admin/actions.ts ${name}`);
      const own = { id, path: '/admin', fields, headers: { origin } };
      const answer = await callAction(administrator.request, own);
      expect(answer.state, name).toMatchObject({ kind: 'refused', code: 'conflict' });
    }
  } finally {
    await sql`update users set is_administrator = false where is_administrator
      and (email = ${administrator.email} or email like 'matrix-%')`;
    await sql`delete from plans where name like 'Matrix %'`;
    await sql`delete from settings`;
  }
});

/** What a user may call who has no second factor although one is required. */
const SETS_UP_SECOND_FACTOR = [
  '(console)/account/second-factor-actions.ts setUpAuthenticator',
  '(console)/account/second-factor-actions.ts confirmAuthenticatorApp',
  '(console)/account/passkey-actions.ts beginPasskey',
  '(console)/account/passkey-actions.ts finishPasskey',
];
const TO_ACCOUNT = /^307 [^ ]*\/account |NEXT_REDIRECT;\w+;\/account;/;

test('where a second factor is required, a user without one sets it up and does nothing else', async () => {
  test.setTimeout(180_000);
  const user = await visitor();
  const { userId, password } = user;
  const seen = { ...world, password };
  // Every right, in the project of the world too.
  await sql`update users set is_administrator = true where id = ${userId}`;
  await sql`update projects set owner_id = ${userId} where id = ${world.projectId}`;
  await sql`insert into settings (id, requires_second_factor) values (true, true)
    on conflict (id) do update set requires_second_factor = true`;
  const isGuarded = async (name: string, action: ActionCase) => {
    const { state, text } = await call(user.request, name, action, { seen });
    return state?.code === 'forbidden' && text.includes('A second factor is required here');
  };
  try {
    await changingNothing(async () => {
      for (const [name, action] of Object.entries(ACTIONS)) {
        if (action.access === 'anybody' || SETS_UP_SECOND_FACTOR.includes(name)) continue;
        expect(await isGuarded(name, action), name).toBe(true);
      }
      for (const [name, { access, path }] of Object.entries(ROUTES)) {
        if (access === 'anybody' || name === '/(console)/account/page') continue;
        for (const ask of WAYS) {
          const shown = await wholeOf(await ask(user.request, path(world)));
          expect(shown, name).toMatch(TO_ACCOUNT);
          expect(shown, name).not.toMatch(projectsText());
        }
      }
    });
    for (const name of SETS_UP_SECOND_FACTOR) {
      const action = ACTIONS[name];
      if (action === undefined) throw new Error(`${name} is not in the matrix`);
      expect(await isGuarded(name, action), name).toBe(false);
    }
    expect((await user.request.get('/account')).status()).toBe(200);
  } finally {
    await sql`update settings set requires_second_factor = false`;
    await sql`update projects set owner_id = ${inRole.owner.userId} where id = ${world.projectId}`;
    await sql`update users set is_administrator = false where id = ${userId}`;
  }
});

/** The advisory lock of all changes by administrators and of their role. */
const ADMINISTRATORS_LOCK = 0x0ce1bf;

test('an action of an administrator who loses the role while it waits is refused, each of them', async () => {
  test.setTimeout(120_000);
  const administrator = await visitor();
  const { userId } = administrator;
  const other = postgres(process.env.DATABASE_URL ?? '', { max: 1 });
  // Without a password a fresh sign-in is the proof, so the first transaction is that of the change.
  await sql`update users set password_hash = null where id = ${userId}`;
  try {
    for (const [name, action] of Object.entries(ACTIONS)) {
      if (action.access !== 'administrator') continue;
      const seen = { ...world, ...(await unusedUserAndPlan()), password: '' };
      await changingNothing(async () => {
        await sql`update users set is_administrator = true where id = ${userId}`;
        const answer = await other.begin(async (tx) => {
          await tx`select pg_advisory_xact_lock(${ADMINISTRATORS_LOCK})`;
          await tx`update users set is_administrator = false where id = ${userId}`;
          const called = call(administrator.request, name, action, { seen });
          await Promise.race([called, untilLockIsAwaited(ADMINISTRATORS_LOCK)]);
          return { called };
        });
        const { state } = await answer.called;
        expect(state, name).toMatchObject({ kind: 'refused', code: 'forbidden' });
      });
    }
  } finally {
    await sql`update users set is_administrator = false where id = ${userId}`;
    await sql`delete from plans where name like 'Matrix %'`;
    await other.end();
  }
});

async function untilLockIsAwaited(lock: number): Promise<void> {
  const waiting = () => sql`
    select 1 from pg_locks where locktype = 'advisory' and objid = ${lock} and not granted`;
  await expect.poll(async () => (await waiting()).length, { timeout: 20_000 }).toBeGreaterThan(0);
}

/** A user without projects, and a plan without projects. */
async function unusedUserAndPlan(): Promise<Pick<World, 'userId' | 'email' | 'planId'>> {
  const name = randomBytes(6).toString('hex');
  const email = `matrix-${name}@example.com`;
  const [user] = await sql`
    insert into users (email, password_hash) values (${email}, 'none') returning id`;
  const [plan] = await sql`
    insert into plans (name, active_key_cap, rate_limit_per_minute, monthly_quota)
    values (${`Matrix ${name}`}, 1, 1, 1) returning id`;
  return { userId: user?.id, email, planId: plan?.id };
}
