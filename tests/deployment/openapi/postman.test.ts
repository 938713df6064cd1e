import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openApiDocument } from '@ceiba/contract/openapi';
import { createCustomerPlan } from '@ceiba/schema';
import { afterAll, expect, it } from 'vitest';
import { startRealRuntime } from '../../sdk/support/real-runtime.ts';
import { fetchPackage } from '../../support/fetched-package.ts';

/* The collection that a Runtime serves, sent request by request by Postman's own runner. */

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'ceiba-postman-'));
const runtime = await startRealRuntime();
afterAll(async () => {
  await runtime.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Report {
  readonly run: {
    readonly failures: readonly unknown[];
    readonly executions: readonly {
      readonly item: { readonly name: string };
      readonly response?: { readonly code: number };
    }[];
  };
}

it('gets from a Runtime only answers of the document, and each creates what the next ones need', async ({
  skip,
}) => {
  const modules = await fetchPackage('newman', '6.2.2');
  if (modules === null) return skip('newman cannot be fetched: no npm registry');
  const project = await runtime.world.createProject({
    policies: [{ method: '*', pathPattern: '/v1/*' }],
  });
  const actor = { kind: 'cli' } as const;
  const ctx = { db: runtime.world.db, actor, clientAddress: null, requestId: null };
  const { projectId } = project;
  await createCustomerPlan(ctx, { projectId, name: 'Gold', monthlyQuota: null });
  const set = Object.entries({
    runtimeUrl: runtime.url,
    projectId,
    projectSecret: project.secret,
  }).flatMap(([name, value]) => ['--env-var', `${name}=${value}`]);
  const report = join(folder, 'report.json');
  const written = ['-r', 'json', '--reporter-json-export', report];
  const args = ['run', `${runtime.url}/postman.json`, ...set, ...written];
  // It exits with 1 where a test of the collection fails; the report has them.
  await run(join(modules, '.bin/newman'), args, { cwd: folder }).catch(() => undefined);
  const { run: sent }: Report = JSON.parse(readFileSync(report, 'utf8'));
  expect(sent.failures).toEqual([]);
  const operations = Object.values(openApiDocument().paths).flatMap(
    ({ parameters: _, ...methods }) => Object.values(methods),
  );
  expect(sent.executions).toHaveLength(operations.length);
  const codes = Object.fromEntries(
    sent.executions.map(({ item, response }) => [item.name, response?.code]),
  );
  expect(codes).toMatchObject({
    'Ask whether one request may proceed': 200,
    'List keys': 200,
    'Create up to 100 keys': 200,
    'Import up to 1000 keys of another issuer': 200,
    'Create a key': 200,
    'Read one key': 200,
    'Change a key, or move it to another customer': 200,
    'Replace the secret of a key': 200,
    'End the secret that a rotation has replaced': 200,
    'Revoke a key': 200,
    'Archive a key': 409,
    'Create a customer, or find it as it is': 200,
    'Read one customer': 200,
    'Suspend a customer': 200,
    'Resume a customer': 200,
    'Read the usage of a key': 200,
    'Read the usage of a customer': 200,
    'This document, for Postman': 200,
  });
}, 180_000);
