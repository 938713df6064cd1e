/**
 * Asks the real Runtime over HTTP in every situation, and prints the answers as one text that a
 * reviewer can read. Also checks the order of the checks against the contract's table of denial
 * reasons, independently of the file.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DENIAL_REASONS } from '@ceiba/contract/sets';
import { beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../apps/runtime/src/http/app.ts';
import { startWorld } from '../integration/runtime/setup.ts';
import { precedence, situations } from './decisions.ts';
import { routes } from './routes.ts';

const { world, runtime } = await startWorld();
const file = fileURLToPath(new URL('./decisions.txt', import.meta.url));

const HEADER = `The answers of the running Runtime, over HTTP.

tests/golden/decisions.test.ts writes this file and fails on a difference. After an intended change:
  npm test -- --only integration                         shows the difference
  npx vitest run --project integration tests/golden -u   rewrites the file (needs DATABASE_URL and REDIS_URL)
`;

let text: string;

beforeAll(async () => {
  text = [
    HEADER,
    'DECISIONS: one situation at a time\n',
    await situations(world, runtime.url),
    '\nPRECEDENCE: of several checks that fail, the first of this list names the reason\n',
    ...DENIAL_REASONS.map((reason) => `  ${reason}`),
    '\nROUTES: which requests each route accepts, and its answers to the others\n',
    await routes(world, runtime.url),
    '',
  ].join('\n');
}, 240_000);

describe('the matrix of decisions', () => {
  it('equals the committed file', async () => {
    await expect(text).toMatchFileSnapshot(file);
  });

  it('contains every denial reason, and an allow', () => {
    const committed = readFileSync(file, 'utf8');
    for (const outcome of ['allowed', ...DENIAL_REASONS]) {
      expect(committed).toMatch(new RegExp(`  ${outcome}$`, 'm'));
    }
  });

  it('contains every route that the Runtime serves', () => {
    const unused = {} as never;
    const app = createApp({
      authorizeRoutes: unused,
      projects: unused,
      checks: unused,
      isDraining: () => false,
      errors: unused,
    });
    const served = new Set(app.routes.map(({ method, path }) => `${method} ${path}`));
    const committed = readFileSync(file, 'utf8');
    served.add('ANY /rt/projects/:projectId/forward-auth'); // never goes through Hono
    const listed = committed.match(/^ {2}(?:GET|POST|PUT|PATCH|DELETE|ALL|ANY) \/\S*$/gm) ?? [];
    expect(listed.map((line) => line.trim()).sort()).toEqual([...served].sort());
    expect(served.size).toBe(29);
  });
});

describe('precedence', () => {
  it('takes the reason from the first failing check in the order of the contract', async () => {
    expect(await precedence(world, runtime.url)).toEqual([...DENIAL_REASONS, 'allowed']);
  });
});
