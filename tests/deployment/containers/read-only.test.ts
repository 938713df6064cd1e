import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createDatabase } from '@ceiba/devstack/databases';
import { request } from 'playwright';
import { describe, expect, it } from 'vitest';
import { builtActions, callAction } from '../../e2e/call-action.ts';
import { startConsole } from '../../e2e/console-process.ts';
import { newAccount, setupToken } from '../../e2e/support.ts';
import { createTestDatabase } from '../../support/database.ts';
import { readOnly } from '../../support/read-only.ts';
import { startRuntime } from '../../support/runtime.ts';
import { createWorld, QUESTION } from '../../support/scenario.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const { DATABASE_URL: serverUrl = '', REDIS_URL: redisUrl = '' } = process.env;

/** compose.yaml and the chart give these programs no folder to write to. */
describe.skipIf(readOnly === undefined)('where no file can be written', () => {
  const [command = '', ...options] = readOnly ?? [];

  it('a program fails to write, so that the tests below can fail', async () => {
    const write = "require('fs').writeFileSync('/tmp/ceiba-read-only', '')";
    const failed = await run(command, [...options, process.execPath, '-e', write]).catch(String);
    expect(failed).toContain('EROFS');
  });

  it('the Runtime and its workers start, decide and stop', async () => {
    const database = await createTestDatabase();
    const world = createWorld(database.url);
    const runtime = await startRuntime({
      databaseUrl: database.url,
      redisUrl,
      settings: { RUNTIME_WORKERS: '2' },
      within: [command, ...options],
    });
    const project = await world.createProject();
    const { plaintext } = await project.createKey();
    const answer = await fetch(`${runtime.url}/rt/projects/${project.projectId}/authorize`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-service-project-secret': project.secret,
      },
      body: JSON.stringify({ ...QUESTION, apiKey: plaintext }),
    });
    expect(await answer.json()).toMatchObject({ allowed: true });
    await runtime.stop();
    expect(runtime.stdout()).not.toContain('EROFS');
    await world.close();
    await database.drop();
  });

  it('the console creates an account and a project, and serves pages, guides and files', async () => {
    const database = await createTestDatabase();
    const app = await startConsole({ DATABASE_URL: database.url }, [command, ...options]);
    const visitor = await request.newContext({ baseURL: app.url });
    const submit = async (path: string, action: string, fields: Record<string, string>) => {
      const { id } = builtActions().find(({ name }) => name.endsWith(` ${action}`))!;
      return callAction(visitor, { id, path, fields, headers: { origin: app.url } });
    };
    const account = newAccount();
    const token = await setupToken(database.url);
    await submit('/sign-up', 'createAccount', { ...account, setupToken: token });
    const { csrfToken } = await (await visitor.get('/api/auth/csrf')).json();
    const headers = { origin: app.url };
    await visitor.post('/api/auth/callback/credentials', {
      headers,
      form: { csrfToken, json: 'true', ...account },
    });
    const created = await submit('/projects/new', 'createNewProject', { name: 'Reports' });
    const [, projectId] = /"projectId":"([0-9a-f-]{36})"/.exec(created.text) ?? [];
    const script = /"(\/_next\/static\/[^"]+\.js)"/.exec(
      await (await visitor.get('/')).text(),
    )?.[1];
    const paths = [`/projects/${projectId}`, '/docs', '/docs/reference', '/ceiba-sdk.tgz', script!];
    for (const path of paths) {
      const answer = await visitor.get(path, { maxRedirects: 0 });
      expect([path, answer.status()]).toEqual([path, 200]);
    }
    expect(await (await visitor.get(`/projects/${projectId}`)).text()).toContain('Reports');
    await visitor.dispose();
    await app.stop();
    expect(app.log()).not.toContain('EROFS');
    await database.drop();
  });

  it('ceiba migrates a database, called as the chart and compose.yaml do, and by npx', async () => {
    const database = await createDatabase(serverUrl, { prefix: 'ceiba_test' });
    const env = { PATH: process.env.PATH, DATABASE_URL: database.url };
    const commands = [
      ['node', 'apps/cli/bin/ceiba.mjs', 'migrate'],
      ['npx', '--no-install', 'ceiba', 'migrate'],
    ];
    for (const program of commands) {
      const { stdout } = await run(command, [...options, ...program], { cwd: root, env });
      expect(stdout).toContain('the database is at');
    }
    await database.drop();
  });
});
