import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { undocumented } from '../../support/documented.ts';
import { fetchPackage } from '../../support/fetched-package.ts';

const run = promisify(execFile);
const file = fileURLToPath(new URL('../../../packages/contract/openapi.json', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'ceiba-openapi-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a linter, which is fetched for this test. Returns what it prints, and null without npm. */
async function lint(name: string, version: string, program: string, args: readonly string[]) {
  const modules = await fetchPackage(name, version);
  if (modules === null) return null;
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { stdout } = await run(join(modules, '.bin', program), [...args], {
    cwd: folder,
    env: { ...process.env, ...quiet },
  }).catch((error) => error);
  return String(stdout);
}

describe('the OpenAPI document', () => {
  it('has no finding of Redocly', async ({ skip }) => {
    const args = ['lint', '--format=json', '--extends=recommended', file];
    const printed = await lint('@redocly/cli', '2.77.0', 'redocly', args);
    if (printed === null) return skip('Redocly cannot be fetched: no npm registry');
    const { totals, problems } = JSON.parse(printed);
    expect(problems).toEqual([]);
    expect(totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
  }, 180_000);

  it('has no finding of Spectral', async ({ skip }) => {
    const rules = join(folder, 'rules.json');
    writeFileSync(rules, JSON.stringify({ extends: ['spectral:oas'] }));
    const args = ['lint', '--quiet', '--format=json', '--ruleset', rules, file];
    const printed = await lint('@stoplight/spectral-cli', '6.16.3', 'spectral', args);
    if (printed === null) return skip('Spectral cannot be fetched: no npm registry');
    expect(JSON.parse(printed)).toEqual([]);
  }, 180_000);
});

describe('the check of answers against the document', () => {
  const url = 'http://runtime/rt/projects/p/authorize';
  const denied = {
    allowed: false,
    decisionId: '0199e0c0-0000-7000-8000-00000000d001',
    denialReason: 'rate_limited',
  };
  const check = (status: number, body: unknown, address = url, method = 'POST') =>
    undocumented({ method, url: address, status, text: JSON.stringify(body) });

  it('accepts an answer as documented', () => {
    expect(check(200, denied)).toBeNull();
    expect(check(404, {}, 'http://runtime/elsewhere', 'GET')).toBeNull();
  });

  it.each([
    ['a field more', 200, { ...denied, more: 1 }],
    ['an unknown reason', 200, { ...denied, denialReason: 'because' }],
    ['a field less', 200, { allowed: false }],
    ['an unknown error', 400, { error: 'other', message: '', requestId: '' }],
    ['an undocumented status', 418, {}],
  ])('finds %s', (_name, status, body) => {
    expect(check(status, body)).toContain(
      `POST /rt/projects/{projectId}/authorize answered ${status}`,
    );
  });
});
