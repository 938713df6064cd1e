import { describe, expect, test } from 'vitest';
import { factsOf } from './architecture/facts.ts';
import { type House, readHouse } from './architecture/house.ts';
import { ARROWS, RULES } from './architecture/rules.ts';

const house = readHouse();

describe('the house', () => {
  test.each(RULES)('holds that $name', ({ violations }) => {
    expect(violations(house)).toEqual([]);
  });

  test('gives arrows to each workspace, and to no other', () => {
    expect(house.workspaces.map(({ folder }) => folder).sort()).toEqual(Object.keys(ARROWS).sort());
  });

  test('was read: every workspace has files, and imports were found', () => {
    for (const { folder } of house.workspaces) {
      const files = house.files.filter(({ path }) => path.startsWith(`${folder}/`));
      expect(files, folder).not.toEqual([]);
    }
    const imports = house.files.flatMap((file) => file.imports);
    expect(imports.length).toBeGreaterThan(200);
    expect(house.files.some(({ directives }) => directives.includes('use client'))).toBe(true);
  });
});

/** A small house that breaks nothing, with the files of a fixture added. */
function houseWith(files: Record<string, string>): House {
  const sound = {
    'packages/contract/src/sets.ts': 'export const A = 1;',
    'packages/domain/src/index.ts': "import { A } from '@ceiba/contract/sets';",
    'packages/schema/src/index.ts': "import 'drizzle-orm'; import '@ceiba/domain';",
    'packages/sdk/src/index.ts': "import { A } from '@ceiba/contract/sets';",
    'apps/runtime/src/env.ts': 'export const port = process.env.RUNTIME_PORT;',
    'apps/console/src/actions.ts': "'use server'; import { revokeApiKey } from '@ceiba/schema';",
    'apps/console/src/button.tsx': "'use client'; import { revoke } from '#actions';",
  };
  return {
    workspaces: house.workspaces,
    files: Object.entries({ ...sound, ...files }).map(([path, text]) => factsOf(path, text)),
  };
}

/** Which rule a fixture breaks: its index in RULES, by its words. */
const ruleOf = (words: string) => {
  const rule = RULES.find(({ name }) => name.includes(words));
  if (rule === undefined) throw new Error(`no rule says "${words}"`);
  return rule;
};

/** Each of these has to be noticed, by the rule whose words stand in front. */
const BREACHES: [rule: string, what: string, files: Record<string, string>][] = [
  [
    'arrows',
    'the domain imports the schema',
    { 'packages/domain/src/bad.ts': "import { lookupMany } from '@ceiba/schema';" },
  ],
  [
    'arrows',
    'the contract imports the domain, for a type alone',
    { 'packages/contract/src/bad.ts': "import type { Policy } from '@ceiba/domain';" },
  ],
  [
    'arrows',
    'the client library imports the domain',
    { 'packages/sdk/src/bad.ts': "export * from '@ceiba/domain';" },
  ],
  [
    'arrows',
    'the client library imports the schema when it is needed',
    { 'packages/sdk/src/bad.ts': "const schema = await import('@ceiba/schema');" },
  ],
  [
    'arrows',
    'a package imports an app',
    { 'packages/schema/src/bad.ts': "import '@ceiba/runtime';" },
  ],
  ['arrows', 'an app imports another', { 'apps/cli/src/bad.ts': "import '@ceiba/console';" }],
  [
    'arrows',
    'an example imports the contract past the client library',
    { 'examples/express-api/src/bad.mjs': "const sets = require('@ceiba/contract/sets');" },
  ],
  [
    'arrows',
    'a test of the domain imports the schema',
    { 'packages/domain/src/bad.test.ts': "import '@ceiba/schema';" },
  ],
  [
    'never by a path',
    'an app reaches into another by path',
    { 'apps/cli/src/bad.ts': "import { env } from '../../runtime/src/env.ts';" },
  ],
  [
    'never by a path',
    'an app reaches for the tables past the exports',
    { 'apps/console/src/bad.ts': "import { users } from '@ceiba/schema/src/tables.ts';" },
  ],
  [
    'never by a path',
    'an app imports what belongs to the tests',
    { 'apps/runtime/src/bad.ts': "import '../../../tests/support/database.ts';" },
  ],
  [
    'but what they are made of',
    'the schema imports Redis',
    { 'packages/schema/src/bad.ts': "import { Redis } from 'ioredis';" },
  ],
  [
    'but what they are made of',
    'the schema imports a web framework',
    { 'packages/schema/src/bad.ts': "import { Hono } from 'hono';" },
  ],
  [
    'but what they are made of',
    'the schema imports Next.js',
    { 'packages/schema/src/bad.ts': "import { cookies } from 'next/headers';" },
  ],
  [
    'but what they are made of',
    'the domain reads files',
    { 'packages/domain/src/bad.ts': "import { readFileSync } from 'node:fs';" },
  ],
  [
    'but what they are made of',
    'the client library gets a dependency',
    { 'packages/sdk/src/bad.ts': "import { request } from 'undici';" },
  ],
  [
    'stay in packages/schema',
    'a route imports drizzle-orm',
    { 'apps/runtime/src/routes/bad.ts': "import { eq } from 'drizzle-orm';" },
  ],
  [
    'stay in packages/schema',
    'a server action imports a driver',
    { 'apps/console/src/bad.ts': "'use server'; import postgres from 'postgres';" },
  ],
  [
    'stay in packages/schema',
    'a route writes SQL through a pool that it was given',
    { 'apps/runtime/src/bad.ts': 'await db.sql`delete from projects`;' },
  ],
  [
    'stay in packages/schema',
    'a command sends a statement as text',
    { 'apps/cli/src/bad.ts': "await db.sql.unsafe('select 1');" },
  ],
  [
    'by no export',
    'the schema exports its tables',
    { 'packages/schema/src/index.ts': "export * from './tables.ts';" },
  ],
  [
    '"use client"',
    'a client file imports the schema',
    { 'apps/console/src/bad.tsx': "'use client'; import { listPlans } from '@ceiba/schema';" },
  ],
  [
    '"use client"',
    'a client file imports the domain, for a type alone',
    { 'apps/console/src/bad.tsx': "'use client'; import type { Policy } from '@ceiba/domain';" },
  ],
  [
    '"use client"',
    'a client file imports a helper that imports the domain',
    {
      'apps/console/src/bad.tsx': "'use client'; import { match } from '#lib/helper.ts';",
      'apps/console/src/lib/helper.ts': "export * from './deeper.ts';",
      'apps/console/src/lib/deeper.ts': "export { explainMatch } from '@ceiba/domain';",
    },
  ],
  [
    'that it was given',
    'a server action opens the database by itself',
    {
      'apps/console/src/bad.ts':
        "'use server'; import { withDatabase } from '#server/database.ts';",
    },
  ],
  [
    'process.env',
    'a route reads the environment',
    { 'apps/runtime/src/bad.ts': 'const port = process.env.RUNTIME_PORT;' },
  ],
  [
    'process.env',
    'a package reads the environment',
    { 'packages/schema/src/env.ts': 'export const url = process.env.DATABASE_URL;' },
  ],
  [
    'process.env',
    'a file takes the environment apart',
    { 'apps/cli/src/bad.ts': 'const { env } = process;' },
  ],
  [
    'process.env',
    'a file reads the environment by another name',
    { 'apps/cli/src/bad.ts': "import { env } from 'node:process';" },
  ],
  [
    'process.env',
    'a file reads the environment by its brackets',
    { 'apps/console/src/bad.ts': "const url = globalThis.process['env'];" },
  ],
  [
    'no clock',
    'the domain takes the time',
    { 'packages/domain/src/bad.ts': 'export const now = () => Date.now();' },
  ],
  [
    'no clock',
    'the domain takes the time by an empty date',
    { 'packages/domain/src/bad.ts': 'export const now = () => new Date();' },
  ],
  [
    'no clock',
    'the domain makes its own randomness',
    { 'packages/domain/src/bad.ts': "import { randomBytes } from 'node:crypto';" },
  ],
  [
    'declares every package',
    'an app loads a package that only another one declares',
    { 'apps/cli/src/bad.ts': "import { Hono } from 'hono';" },
  ],
  [
    'declares every package',
    'an app loads a package that is there for development alone',
    { 'apps/cli/src/bad.ts': "import { build } from 'esbuild';" },
  ],
];

describe('a breach is noticed', () => {
  test('and a house without one is sound', () => {
    for (const { violations } of RULES) expect(violations(houseWith({}))).toEqual([]);
  });

  test.each(BREACHES)('%s: %s', (words, _, files) => {
    const noticed = ruleOf(words).violations(houseWith(files));
    expect(noticed).toHaveLength(1);
    expect(Object.keys(files)).toContain(noticed[0]?.split(':')[0]);
  });

  test('and every rule has a breach that shows it', () => {
    const shown = new Set(BREACHES.map(([words]) => ruleOf(words).name));
    expect([...shown].sort()).toEqual(RULES.map(({ name }) => name).sort());
  });
});
