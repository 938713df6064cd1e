import { randomBytes } from 'node:crypto';
import { type BrowserContext, expect, type Page, test } from '@playwright/test';
import postgres from 'postgres';
import { addDestination } from './alerts.ts';
import { addDecisions } from './decisions.ts';
import { expectAccessible } from './expect-accessible.ts';
import { PAGES, type Place } from './pages.ts';
import { createProject, newUser } from './support.ts';

let visitor: BrowserContext;
let user: BrowserContext;
let place: Place;
let administrator: string | undefined;

test.beforeAll(async ({ browser }) => {
  visitor = await browser.newContext();
  user = await browser.newContext();
  const page = await user.newPage();
  const { email } = await newUser(page);
  const { projectId } = await createProject(page, 'Accessible');
  place = { projectId, ...(await fill(projectId)) };
  await setAdministrator(email, true);
  administrator = email;
  await page.close();
});

test.afterAll(async () => {
  await visitor?.close();
  await user?.close();
  if (administrator !== undefined) await setAdministrator(administrator, false);
});

function connect(): postgres.Sql {
  if (!process.env.DATABASE_URL) throw new Error('needs the DATABASE_URL of a stack');
  return postgres(process.env.DATABASE_URL, { max: 1 });
}

async function setAdministrator(email: string, isAdministrator: boolean) {
  const sql = connect();
  await sql`update users set is_administrator = ${isAdministrator} where email = ${email}`;
  await sql.end();
}

/** Fills lists and charts. Returns the IDs of a policy, a key and a recorded decision. */
async function fill(project: string): Promise<Omit<Place, 'projectId'>> {
  const sql = connect();
  let apiKeyId = '';
  const [plan] = await sql`insert into customer_plans
    (project_id, name, active_key_cap, daily_quota, monthly_quota, scopes)
    values (${project}, 'Growth', 5, 1000, 20000, '{reports:read}') returning id`;
  const [customer] = await sql`insert into customers
    (project_id, external_id, name, plan_id, subscription_status, billing_day, metadata)
    values (${project}, 'acme-1', 'Acme', ${plan?.id}, 'active', 15, '{"crm": "42"}'),
      (${project}, 'a-customer-with-an-external-id-that-is-longer-than-a-phone-is-wide', '', null,
        null, 1, '{}') returning id`;
  for (const status of ['archived', 'revoked', 'active']) {
    const [key] =
      await sql`insert into api_keys (project_id, display_name, key_prefix, key_digest, status,
        customer_id, scopes, is_imported, metadata, previous_prefix, previous_digest,
        previous_expires_at)
      values (${project}, ${`Key, ${status}`}, 'ceiba_looked00', ${randomBytes(32)}, ${status},
        ${customer?.id}, '{reports:read}', true, '{"crm": "42"}', 'ceiba_replaced',
        ${randomBytes(32)}, now() + interval '1 day')
      returning id`;
    apiKeyId = key?.id;
  }
  const [policy] = await sql`insert into policies (project_id, method, path_pattern, scopes, cost)
    values (${project}, 'GET', '/v1*', null, 1),
      (${project}, 'GET', '/v1/reports*', '{reports:read}', 5) returning id`;
  const noKey = '00000000-0000-0000-0000-000000000000';
  await sql`insert into usage_hours
    (project_id, hour, api_key_id, policy_id, outcome, incarnation, count)
    values (${project}, date_trunc('hour', now()), ${noKey}, ${policy?.id}, 'allowed', 'e2e', 40),
      (${project}, date_trunc('hour', now()), ${apiKeyId}, ${policy?.id}, 'rate_limited', 'e2e', 2)`;
  const [, decisionId = ''] = await addDecisions(project, [
    { policyId: policy?.id },
    {
      outcome: 'invalid_api_key',
      keyPrefix: 'ceiba_unknown0',
      path: '/v1/reports/a-path-that-is-longer-than-a-phone-is-wide/and-one-more-part-of-it',
      requestId: 'req-7',
    },
    { policyId: policy?.id, apiKeyId, customerId: customer?.id, outcome: 'rate_limited' },
  ]);
  await sql.end();
  const { destinationId } = await addDestination(project);
  return { policyId: policy?.id, apiKeyId, customerId: customer?.id, decisionId, destinationId };
}

const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
/** Between desktop and phone, where the sidebar leaves the least room for the page. */
const TABLET = { width: 820, height: 1180 };
/** What a zoom of 200 % leaves of 1280 by 800. */
const ZOOMED = { width: 640, height: 400 };

async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow, 'the page must not scroll sideways').toBeLessThanOrEqual(0);
}

/** Where the system shows scroll bars, an area that is too high by a pixel has one. */
async function expectNoNeedlessScrollBar(page: Page): Promise<void> {
  const areas = await page.evaluate(() =>
    [...document.querySelectorAll('body *')]
      .filter((area) => /auto|scroll/.test(getComputedStyle(area).overflowY))
      .filter(({ scrollHeight, clientHeight }) => {
        const hidden = scrollHeight - clientHeight;
        return hidden > 0 && hidden < 8;
      })
      .map((area) => area.outerHTML.slice(0, 120)),
  );
  expect(areas, 'no area scrolls by a few pixels').toEqual([]);
}

for (const [name, { path, signedIn }] of Object.entries(PAGES)) {
  test(`the page "${name}" is accessible in both themes, on desktop and phone`, async () => {
    // The longest page has thousands of elements, each of which is judged four times.
    test.setTimeout(180_000);
    const page = await (signedIn ? user : visitor).newPage();
    await page.goto(path(place));
    for (const viewport of [DESKTOP, PHONE]) {
      await page.setViewportSize(viewport);
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
      await expectNoNeedlessScrollBar(page);
    }
    for (const viewport of [TABLET, ZOOMED]) {
      await page.setViewportSize(viewport);
      await expectNoSidewaysScroll(page);
    }
    await page.close();
  });
}
