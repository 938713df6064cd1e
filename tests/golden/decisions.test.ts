/**
 * Every situation and what the Runtime makes of it, asked of the real program over HTTP and printed
 * as one text that a reviewer can read. Its order of checks is judged here a second time, against
 * the contract's table of denial reasons rather than against the file.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DENIAL_REASONS } from '@ceiba/contract/sets';
import { beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../apps/runtime/src/http/app.ts';
import { startWorld } from '../integration/runtime/setup.ts';
import { type Combination, precedence, situations } from './decisions.ts';
import { routes } from './routes.ts';

const { world, runtime } = await startWorld();
const file = fileURLToPath(new URL('./decisions.txt', import.meta.url));

const HEADER = `What the Runtime answers, asked of the running program over HTTP.

Written by tests/golden/decisions.test.ts; a difference fails it. After a change that is meant:
  npm test -- --only integration      shows the difference
  npx vitest run --project integration tests/golden -u
writes this file anew (with DATABASE_URL and REDIS_URL set), for a reviewer to read.
`;

let combinations: Combination[];
let text: string;

beforeAll(async () => {
  const matrix = await precedence(world, runtime.url);
  combinations = matrix.combinations;
  text = [
    HEADER,
    'DECISIONS: one situation each\n',
    await situations(world, runtime.url),
    '\nPRECEDENCE: every combination of checks that fail, and the one that names the reason\n',
    matrix.text,
    '\nROUTES: who is let in, and what is said to who is not\n',
    await routes(world, runtime.url),
    '',
  ].join('\n');
}, 240_000);

describe('the matrix of decisions', () => {
  it('is the committed one', async () => {
    await expect(text).toMatchFileSnapshot(file);
  });

  it('holds every denial reason, and an allow', () => {
    const committed = readFileSync(file, 'utf8');
    for (const outcome of ['allowed', ...DENIAL_REASONS]) {
      expect(committed).toMatch(new RegExp(`  ${outcome}$`, 'm'));
    }
  });

  it('holds every route that the Runtime serves', () => {
    const unused = {} as never;
    const app = createApp({
      authorize: unused,
      keys: unused,
      checks: unused,
      isDraining: () => false,
    });
    const served = new Set(app.routes.map(({ method, path }) => `${method} ${path}`));
    const committed = readFileSync(file, 'utf8');
    const listed = committed.match(/^ {2}(?:GET|POST|PUT|PATCH|DELETE|ALL) \/\S*$/gm) ?? [];
    expect(listed.map((line) => line.trim()).sort()).toEqual([...served].sort());
    expect(served.size).toBe(11);
  });
});

describe('precedence', () => {
  it('the first check that fails, in the order of the contract, names the reason', () => {
    for (const { failing, outcome } of combinations) {
      const first = DENIAL_REASONS.find((reason) => failing.includes(reason)) ?? 'allowed';
      expect({ failing, outcome }).toEqual({ failing, outcome: first });
    }
  });

  it('is shown for every pair of checks that can fail together', () => {
    const shown = new Set(
      combinations.flatMap(({ failing }) =>
        failing.flatMap((a) => failing.map((b) => `${a} ${b}`)),
      ),
    );
    // One request carries one key, and a key has one status: these two cannot meet.
    const exclusive = new Set(['revoked_api_key archived_api_key']);
    // Without a key of the project there is none that could be revoked, archived or expired.
    for (const without of ['missing_api_key', 'invalid_api_key']) {
      for (const state of ['revoked_api_key', 'archived_api_key', 'expired_api_key']) {
        exclusive.add(`${without} ${state}`);
      }
    }
    const pairs = DENIAL_REASONS.flatMap((a, index) =>
      DENIAL_REASONS.slice(index + 1).map((b) => `${a} ${b}`),
    );
    expect(pairs.filter((pair) => !shown.has(pair)).sort()).toEqual([...exclusive].sort());
  });
});
