import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  DENIAL_REASONS,
  HOST_ERROR_FOR_DENIAL,
  HTTP_STATUS_FOR_DENIAL,
} from '@ceiba/contract/sets';
import { accepts, freePort } from '@ceiba/devstack/ports';
import { waitFor } from '@ceiba/devstack/wait';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callers } from '../support/callers.ts';
import type { TestProject } from '../support/scenario.ts';
import { type RealRuntime, startRealRuntime } from './support/real-runtime.ts';

/** The Python client, against a real Runtime. Its own tests are in clients/python/tests. */

const run = promisify(execFile);
const folder = fileURLToPath(new URL('../../clients/python', import.meta.url));
const python = process.platform === 'win32' ? 'python' : 'python3';
const hasPython = await run(python, ['--version']).then(
  () => true,
  () => false,
);

/** The code of the README that begins with the name of its file. */
function blockOf(name: string): string {
  const text = readFileSync(join(folder, 'README.md'), 'utf8');
  const blocks = [...text.matchAll(/^```python\n# (\S+)\n(.*?)^```$/gms)];
  const found = blocks.find(([, file]) => file === name);
  if (found?.[2] === undefined) throw new Error(`the README has no ${name}`);
  return found[2];
}

/** An interpreter that has Flask, FastAPI and mypy: on Debian they belong to that of the system. */
async function findFrameworks(): Promise<string | undefined> {
  for (const candidate of [python, '/usr/bin/python3']) {
    const imports = 'import fastapi, flask, mypy, uvicorn, websockets';
    const has = await run(candidate, ['-c', imports]).catch(() => null);
    if (has !== null) return candidate;
  }
  return undefined;
}
const pythonWithFrameworks = await findFrameworks();

describe.skipIf(!hasPython)('the Python client', () => {
  let runtime: RealRuntime;
  let project: TestProject;
  let allowed: { apiKeyId: string; plaintext: string };
  let scenarios: object;

  beforeAll(async () => {
    runtime = await startRealRuntime();
    const { world } = runtime;
    project = await world.createProject();
    allowed = await project.createKey();
    const asking = Object.entries(await callers(world, project));
    scenarios = Object.fromEntries(
      asking.map(([outcome, { project: of, question, key }]) => {
        const { projectId, secret, plan } = of;
        return [outcome, { projectId, secret, plan, ...question, apiKeyId: key?.apiKeyId }];
      }),
    );
  });
  afterAll(() => runtime.close());

  it('and both of its guards pass their own tests, with all nine denials and outages', async () => {
    const denials = Object.fromEntries(
      DENIAL_REASONS.map((reason) => [
        reason,
        { status: HTTP_STATUS_FOR_DENIAL[reason], error: HOST_ERROR_FOR_DENIAL[reason] },
      ]),
    );
    const given = JSON.stringify({ runtimeUrl: runtime.url, scenarios, denials });
    const { stderr } = await run(python, ['-m', 'unittest', 'discover', '-s', 'tests', '-t', '.'], {
      cwd: folder,
      env: { PATH: process.env.PATH, CEIBA_SCENARIOS: given, PYTHONDONTWRITEBYTECODE: '1' },
    });
    expect(stderr).toMatch(/Ran (?:4[5-9]|[5-9]\d) tests/);
    expect(stderr).toMatch(/\nOK\n$/);
  }, 120_000);

  it.skipIf(pythonWithFrameworks === undefined)(
    'guards routes of FastAPI, Starlette and Flask on real servers',
    async () => {
      const { stderr } = await run(
        String(pythonWithFrameworks),
        ['-m', 'unittest', 'tests.frameworks_test'],
        { cwd: folder, env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1' } },
      );
      expect(stderr).toMatch(/Ran 1\d tests/);
      expect(stderr).toMatch(/\nOK\n$/);
    },
    120_000,
  );

  it.skipIf(pythonWithFrameworks === undefined)(
    'is typed as strictly as mypy can check, and so is a host that uses it',
    async () => {
      const temporary = mkdtempSync(join(tmpdir(), 'ceiba-mypy-'));
      const wrong = join(temporary, 'wrong_host.py');
      const text = readFileSync(join(folder, 'tests/typed_host.py'), 'utf8');
      writeFileSync(wrong, text.replace('limit=5', 'limit="5"').replace('["plan"]', '["plans"]'));
      const options = ['--strict', `--cache-dir=${temporary}`];
      const files = ['ceiba', 'tests/typed_host.py', wrong];
      const { stdout } = await run(
        String(pythonWithFrameworks),
        ['-m', 'mypy', ...options, ...files],
        { cwd: folder },
      ).catch((error: { stdout: string }) => error);
      rmSync(temporary, { recursive: true });
      const errors = stdout.split('\n').filter((line) => line.includes('error:'));
      expect(errors).toEqual([
        expect.stringMatching(/wrong_host\.py.*has no key "plans"/),
        expect.stringMatching(/wrong_host\.py.*"limit".*incompatible type "str"/),
      ]);
    },
    300_000,
  );

  it('is generated from the OpenAPI document', async () => {
    await run(python, ['generate.py', '--check'], { cwd: folder });
  });

  it('runs the test of its README, and the costs that it shows', async () => {
    const env = { PATH: process.env.PATH, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' };
    await run(python, ['-c', blockOf('test_app.py')], { env });
    const ask = `
environ = {"REQUEST_METHOD": "GET", "HTTP_X_API_KEY": "good"}
for path in ("/v1/exports", "/v1/reports"):
    app({**environ, "PATH_INFO": path}, lambda *_: None)
assert [question["cost"] for question in client.questions] == [25, 1]
`;
    await run(python, ['-c', `${blockOf('costs.py')}${ask}`], { env });
  });

  it('creates, rotates, repeats and finds keys and manages customers, as its README shows', async () => {
    const temporary = mkdtempSync(join(tmpdir(), 'ceiba-python-'));
    const { projectId, secret } = await runtime.world.createProject();
    const settings = {
      runtime_base_url: runtime.url,
      project_id: projectId,
      project_secret: secret,
    };
    const client = `from ceiba import Client\nclient = Client(**${JSON.stringify(settings)}, timeout=10.0)\n`;
    writeFileSync(join(temporary, 'host_client.py'), client);
    const env = {
      PATH: process.env.PATH,
      PYTHONPATH: `${folder}:${temporary}`,
      PYTHONDONTWRITEBYTECODE: '1',
    };
    const others = '\nassert client.get_customer_by_external_id("other") is None\n';
    const { stdout } = await run(python, ['-c', `${blockOf('customers.py')}${others}`], { env });
    const keys = await run(python, ['-c', blockOf('keys.py')], { env });
    expect(keys.stdout).toMatch(
      /never shown again: 5\d characters\n\[200, 400\]\n\['Nightly job'\]\n$/,
    );
    rmSync(temporary, { recursive: true });
    expect(stdout).toMatch(/^acme has used 0 by \d{4}-\S+\n\['acme'\]\n$/);
  });

  it.skipIf(pythonWithFrameworks === undefined)(
    'has applications in its README that have the same open route and the same guarded one',
    async () => {
      const temporary = mkdtempSync(join(tmpdir(), 'ceiba-python-'));
      for (const name of ['fastapi_app.py', 'flask_app.py']) {
        writeFileSync(join(temporary, name), blockOf(name));
      }
      const client =
        'from ceiba.testing import FakeClient\nclient = FakeClient({"good": "allow"})\n';
      writeFileSync(join(temporary, 'host_client.py'), client);
      const env = {
        PATH: process.env.PATH,
        PYTHONPATH: `${folder}:${temporary}`,
        PYTHONDONTWRITEBYTECODE: '1',
      };
      const { stdout } = await run(String(pythonWithFrameworks), ['tests/readme_apps.py'], {
        cwd: folder,
        env,
      });
      rmSync(temporary, { recursive: true });
      const served = [
        ['/health', null, 200, { ok: true }],
        ['/v1/reports', 'good', 200, { plan: 'Fake plan', left: 9_999 }],
        [
          '/v1/reports',
          'other',
          401,
          { error: 'service_unauthorized', message: 'A valid API key is required.' },
        ],
      ];
      expect(JSON.parse(stdout)).toEqual({ fastapi: served, flask: served });
    },
    60_000,
  );

  it('guards the host of its README', async () => {
    const temporary = mkdtempSync(join(tmpdir(), 'ceiba-python-'));
    writeFileSync(join(temporary, 'host.py'), blockOf('host.py'));
    const port = await freePort();
    const host = spawn(python, [join(temporary, 'host.py')], {
      stdio: 'ignore',
      env: {
        PATH: process.env.PATH,
        PYTHONPATH: folder,
        PYTHONDONTWRITEBYTECODE: '1',
        CEIBA_RUNTIME_URL: runtime.url,
        CEIBA_PROJECT_ID: project.projectId,
        CEIBA_PROJECT_SECRET: project.secret,
        PORT: `${port}`,
      },
    });
    await waitFor(() => accepts(port), { timeoutMs: 15_000 });
    const url = `http://127.0.0.1:${port}/v1/reports`;
    const served = await fetch(url, { headers: { 'x-api-key': allowed.plaintext } });
    expect([served.status, await served.text()]).toEqual([200, allowed.apiKeyId]);
    expect((await fetch(url)).status).toBe(401);
    const health = await fetch(`http://127.0.0.1:${port}/health`);
    expect([health.status, await health.text()]).toEqual([200, 'ok']);
    const exited = once(host, 'exit');
    host.kill();
    await exited;
    rmSync(temporary, { recursive: true, force: true });
  });
});
