import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '@ceiba/devstack/settings';
import { logFileOf } from '@ceiba/devstack/supervisor';
import { mintProjectSecret } from '@ceiba/domain';
import { createDatabase, createProject } from '@ceiba/schema';
import { type Browser, type BrowserContext, expect, type Page } from '@playwright/test';
import postgres from 'postgres';
import { gotoReady, newAccount, register } from './support.ts';

const databaseUrl = () => {
  if (!process.env.DATABASE_URL) throw new Error('needs the DATABASE_URL of a stack');
  return process.env.DATABASE_URL;
};

/** One user with one project, shared by the tests of a file to save time. */
export interface OwnProject {
  projectId: string;
  projectSecret: string;
  /** The address of one of its pages. */
  at: (path: string) => string;
  /** Opens a signed-in page that listens to the keyboard; {@link OwnProject.close} closes it. */
  open: (path: string) => Promise<Page>;
  sql: postgres.Sql;
  /** Changes to the plan with this name. */
  usePlan: (name: string) => Promise<void>;
  /** Inserts a key without a known secret. */
  addKey: (displayName: string, columns?: Record<string, unknown>) => Promise<string>;
  addPolicy: (method: string, pathPattern: string) => Promise<string>;
  /** Deletes all keys, policies, usage and recorded decisions. */
  empty: () => Promise<void>;
  /** Requests a decision from the Runtime, as a host does. */
  authorize: (call: { apiKey: string | null; method: string; path: string }) => Promise<Decision>;
  close: () => Promise<void>;
}

export interface Decision {
  allowed: boolean;
  denialReason?: string;
  limits?: { remainingThisMonth: number; rateLimitPerMinute: number; monthlyQuota: number };
  access?: { policy: { method: string; pathPattern: string } };
}

export async function ownProject(browser: Browser, name: string): Promise<OwnProject> {
  const sql = postgres(databaseUrl(), { max: 1, onnotice: () => {} });
  const context: BrowserContext = await browser.newContext();
  const account = newAccount();
  await register(context.request, account);
  const { projectId, projectSecret } = await addProject(sql, account.email, name);
  const at = (path: string) => `/projects/${projectId}/${path}`;
  return {
    projectId,
    projectSecret,
    at,
    sql,
    async open(path) {
      const opened = await context.newPage();
      await gotoReady(opened, at(path));
      return opened;
    },
    async usePlan(plan) {
      await sql`update subscriptions set plan_id = (select id from plans where name = ${plan})
        where project_id = ${projectId}`;
    },
    async addKey(displayName, columns = {}) {
      const row = {
        project_id: projectId,
        display_name: displayName,
        key_prefix: `ceiba_${randomBytes(4).toString('hex')}`,
        key_digest: randomBytes(32),
        ...columns,
      };
      const [created] = await sql`insert into api_keys ${sql(row)} returning id`;
      return created?.id;
    },
    async addPolicy(method, pathPattern) {
      const row = { project_id: projectId, method, path_pattern: pathPattern };
      const [created] = await sql`insert into policies ${sql(row)} returning id`;
      return created?.id;
    },
    async empty() {
      for (const opened of context.pages()) await opened.close();
      const counted = await sql<{ name: string }[]>`
        select table_name as name from information_schema.tables
        where table_schema = 'public' and starts_with(table_name, 'usage_')`;
      for (const table of [
        'api_keys',
        'customers',
        'customer_plans',
        'policies',
        'decisions',
        'decision_gaps',
        ...counted.map(({ name }) => name),
      ]) {
        await sql`delete from ${sql(table)} where project_id = ${projectId}`;
      }
    },
    async authorize(call) {
      const ask = () =>
        fetch(`${stack().runtimeUrl}/rt/projects/${projectId}/authorize`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'x-service-project-secret': projectSecret,
          },
          body: JSON.stringify(call),
        });
      let response = await ask();
      // A machine that is too busy to decide in time is asked again.
      for (let tries = 1; response.status === 503 && tries < 5; tries += 1) response = await ask();
      expect(response.status).toBe(200);
      return response.json();
    },
    async close() {
      await context.close();
      await sql.end();
    },
  };
}

/** Creates a project of the account, as its page does, in less time. */
async function addProject(sql: postgres.Sql, email: string, name: string) {
  const [{ userId } = { userId: '' }] = await sql<{ userId: string }[]>`
    select id as "userId" from users where email = ${email}`;
  const secret = mintProjectSecret(randomBytes);
  const db = createDatabase(databaseUrl(), { maxConnections: 1 });
  const actor = { kind: 'user', userId, email } as const;
  const ctx = { db, actor, clientAddress: '127.0.0.1', requestId: null };
  const created = await createProject(ctx, { ownerId: userId, name, secret });
  await db.close();
  if (created.kind !== 'created') throw new Error(`the project was not created: ${created.kind}`);
  return { projectId: created.projectId, projectSecret: secret.plaintext };
}

/** Where the services of the stack under test are. */
export function stack(): { runtimeUrl: string; consoleUrl: string; redisUrl: string } {
  const { dataDir } = readSettings(process.env);
  return JSON.parse(readFileSync(join(dataDir, 'stack.json'), 'utf8'));
}

/** The log of the console so far. */
export function consoleLog(): string {
  const { dataDir } = readSettings(process.env);
  return readFileSync(logFileOf(dataDir, 'Console'), 'utf8');
}

/** Creates a key through its page, returns it, and leaves the page on the list. */
export async function createKey(page: Page, project: OwnProject, name: string): Promise<string> {
  await gotoReady(page, project.at('keys/new'));
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Create key' }).click();
  const apiKey = (await page.getByRole('status').filter({ hasText: 'ceiba_' }).innerText()).trim();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Leave without it' }).click();
  await page.waitForURL(`**${project.at('keys')}`);
  return apiKey;
}
