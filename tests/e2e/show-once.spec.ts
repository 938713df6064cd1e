import { readFileSync } from 'node:fs';
import { readSettings } from '@ceiba/devstack/settings';
import { logFileOf } from '@ceiba/devstack/supervisor';
import { type BrowserContext, expect, type Page, test } from '@playwright/test';
import { Redis } from 'ioredis';
import postgres from 'postgres';
import { stack } from './own-project.ts';
import {
  type Places,
  placesOf,
  recordAnswers,
  storedBy,
  storedInPostgres,
  storedInRedis,
} from './show-once.ts';
import { createProject, gotoReady, signUp } from './support.ts';

/** The part of a credential that is not stored anywhere: all but its brand and the prefix of a key. */
const secretPartOf = (credential: string) => {
  const brand = /^ceiba_(?:secret_|token_)?/.exec(credential)?.[0] ?? '';
  return credential.slice(brand === 'ceiba_secret_' ? brand.length : brand.length + 8);
};

const PLANTED = 'planted by the test of what is shown once';

/** Everything that is stored anywhere, except the answers. */
async function everywhere(page: Page, sql: postgres.Sql): Promise<Places> {
  const { dataDir } = readSettings(process.env);
  const logs = ['Console', 'Runtime'].map((name): Places[number] => [
    `log of the ${name}`,
    readFileSync(logFileOf(dataDir, name), 'utf8'),
  ]);
  return [
    ...(await storedBy(page)),
    ...logs,
    ...(await storedInPostgres(sql)),
    ...(await storedInRedis(stack().redisUrl)),
  ];
}

async function showAndLeave(page: Page, brand: string): Promise<string> {
  const shown = page.getByRole('status').filter({ hasText: brand });
  const credential = (await shown.innerText()).trim();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Leave without it' }).click();
  return credential;
}

let context: BrowserContext;
let sql: postgres.Sql;

test.beforeAll(async ({ browser }) => {
  context = await browser.newContext();
  sql = postgres(process.env.DATABASE_URL ?? '', { max: 1, onnotice: () => {} });
});
test.afterAll(async () => {
  await context?.close();
  await sql?.end();
});

test('a key, a project’s secrets and an access token are each in one answer, and nowhere else after leaving', async () => {
  const answers = await recordAnswers(context);
  const page = await context.newPage();
  const { password } = await signUp(page);
  const { projectId, projectSecret } = await createProject(page, 'Shown once');
  const at = (path: string) => `/projects/${projectId}/${path}`;

  await gotoReady(page, at('keys/new'));
  await page.getByLabel('Name').fill('Shown once');
  await page.getByRole('button', { name: 'Create key' }).click();
  const apiKey = await showAndLeave(page, 'ceiba_');
  await page.waitForURL(`**${at('keys')}`);

  await gotoReady(page, at('keys'));
  await page.getByRole('button', { name: 'Actions for Shown once' }).click();
  await page.getByRole('button', { name: 'Replace key' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Replace key' }).click();
  const replacedKey = await showAndLeave(page, 'ceiba_');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Keys');

  await gotoReady(page, at('settings'));
  await page.getByRole('button', { name: 'Rotate secret…' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Rotate secret' }).click();
  const rotatedSecret = await showAndLeave(page, 'ceiba_secret_');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Settings');

  await gotoReady(page, '/account');
  await page.getByRole('button', { name: 'Create access token…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Shown once');
  await dialog.getByLabel('Your password', { exact: true }).fill(password);
  await dialog.getByRole('button', { name: 'Create access token' }).click();
  const accessToken = await showAndLeave(page, 'ceiba_token_');
  await expect(page.getByRole('list', { name: 'Access tokens' })).toContainText('Shown once');

  for (const used of [apiKey, replacedKey]) {
    await use(projectId, { apiKey: used, secrets: [projectSecret, rotatedSecret] });
  }
  await gotoReady(page, at('simulator'));
  await page.getByText('Paste', { exact: true }).click();
  await page.getByLabel('Key to paste').fill(apiKey);
  await page.getByLabel('Path', { exact: true }).fill('/v1/reports');
  await page.getByRole('button', { name: 'Simulate call' }).click();
  await expect(page.getByRole('region', { name: 'Verdict' })).toContainText('With Shown once');
  for (const path of ['keys/new', 'keys', 'audit', 'settings']) await page.goto(at(path));
  await context.unrouteAll({ behavior: 'wait' });
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Audit');
  const elsewhere: Places = [];
  // Reading a page that still navigates fails.
  await expect(async () => elsewhere.push(...(await everywhere(page, sql)))).toPass();

  for (const [credential, path] of [
    [projectSecret, '/projects/new'],
    [apiKey, at('keys/new')],
    [replacedKey, at('keys')],
    [rotatedSecret, at('settings')],
    [accessToken, '/account'],
  ] as const) {
    const secret = secretPartOf(credential);
    expect(placesOf(secret, answers)).toEqual([`POST ${stack().consoleUrl}${path}`]);
    expect(placesOf(secret, elsewhere)).toEqual([]);
  }
});

/** Sends valid and invalid credentials to the Runtime, which could store them. */
async function use(projectId: string, { apiKey, secrets }: { apiKey: string; secrets: string[] }) {
  for (const secret of [...secrets, `${secrets[0]}x`]) {
    await fetch(`${stack().runtimeUrl}/rt/projects/${projectId}/authorize`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-project-secret': secret },
      body: JSON.stringify({ apiKey, method: 'GET', path: '/v1/reports' }),
    });
  }
}

test('a planted credential is found in every place that the test searches', async () => {
  const page = await context.newPage();
  await page.goto('/projects');
  const redis = new Redis(stack().redisUrl);
  const key = `planted:${Date.now()}`;
  try {
    await page.evaluate(async (text) => {
      localStorage.setItem('key', text);
      sessionStorage.setItem('key', text);
      history.replaceState({ ...history.state, key: text }, '');
      document.body.dataset.key = text;
      await (await caches.open('planted')).put('/planted', new Response(text));
      await new Promise((resolve, reject) => {
        const opening = indexedDB.open('planted');
        opening.onupgradeneeded = () => opening.result.createObjectStore('keys').put(text, 1);
        opening.onsuccess = () => resolve(opening.result.close());
        opening.onerror = () => reject(opening.error);
      });
    }, PLANTED);
    const cookie = { name: 'planted', value: PLANTED.replaceAll(' ', '') };
    await context.addCookies([{ ...cookie, url: stack().consoleUrl }]);
    await redis.hset(key, 'field', PLANTED);
    await sql`insert into plans (name, active_key_cap, rate_limit_per_minute, monthly_quota)
      values (${PLANTED}, 1, 1, 1)`;
    const places = await everywhere(page, sql);
    expect(placesOf(PLANTED, places).sort()).toEqual(
      [
        'local storage',
        'session storage',
        'IndexedDB',
        'caches',
        'history',
        'page source',
        'table plans',
        'Redis',
      ].sort(),
    );
    expect(placesOf(cookie.value, places)).toEqual(['cookies']);
    for (const encoding of ['utf8', 'hex', 'base64'] as const) {
      for (const before of ['', 'a', 'ab']) {
        const said = Buffer.from(`${before}${PLANTED} and more`).toString(encoding);
        expect(placesOf(PLANTED, [['a log', said]])).toEqual(['a log']);
      }
    }
  } finally {
    await redis.del(key);
    redis.disconnect();
    await sql`delete from plans where name = ${PLANTED}`;
  }
});
