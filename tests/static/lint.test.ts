import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Files with one breach per line, by the rule that has to find them. */
const BREACHES: Record<string, Record<string, string[]>> = {
  pure: {
    'packages/domain/src/a.ts': [
      'export const a = Date.now();',
      'export const b = new Date();',
      'export const c = Math.random();',
      'export const d = performance.now();',
      'export const e = crypto.randomUUID();',
      'setTimeout(() => {}, 1);',
      "fetch('http://localhost');",
      'export const f = randomBytes(32);',
    ],
    'packages/contract/src/a.ts': ['export const a = Date.now();'],
  },
  sql: {
    'apps/runtime/src/a.ts': [
      'await sql`select 1`;',
      'await db.sql`delete from projects`;',
      "await db.sql.unsafe('select 1');",
      'await sql.begin(async () => {});',
    ],
    'examples/express-api/src/a.mjs': ['await sql`select 1`;'],
  },
  environment: {
    'apps/cli/src/a.ts': [
      'export const port = process.env.RUNTIME_PORT;',
      "export const url = globalThis.process['env'];",
      'export const { env } = process;',
      "import { env as b } from 'node:process';",
      "import { env as c } from 'process';",
    ],
    'packages/schema/src/env.ts': ['export const url = process.env.DATABASE_URL;'],
  },
  time: {
    'apps/console/src/b.tsx': [
      "export const a = new Intl.DateTimeFormat('en').format(at);",
      'export const b = Intl.DateTimeFormat().resolvedOptions();',
      'export const c = at.toLocaleDateString();',
      "export const d = at.toLocaleTimeString('en');",
      'export const e = new Date(at).toLocaleString();',
      'export const f = at.toISOString().slice(0, 16);',
      "export const g = at.toISOString().split('T');",
      'export const h = at.getHours();',
      'export const i = at.getTimezoneOffset();',
      'export const j = at.toUTCString();',
    ],
  },
  'the setup token': {
    'apps/console/src/a.ts': ["import { createUser } from '@ceiba/schema';"],
  },
};

/** Code that breaks no rule in its place. */
const SOUND: Record<string, string> = {
  'packages/domain/src/b.ts': 'export const at = (ms: number) => new Date(ms);',
  'packages/domain/src/b.test.ts': 'export const now = Date.now();',
  'packages/schema/src/b.ts': 'await sql`select 1`;',
  'apps/console/src/lib/time.ts': 'export const day = at.toISOString().slice(0, 10);',
  'apps/console/src/c.ts': 'export const text = at.toISOString();',
  'apps/cli/src/env.ts': 'export const port = process.env.RUNTIME_PORT;',
};

interface Diagnostic {
  category: string;
  message: string;
  location: { path: string; start: { line: number } };
}

describe('the rules of tests/static/lint', () => {
  let tree: string;
  let found: string[];
  beforeAll(() => {
    tree = mkdtempSync(join(tmpdir(), 'ceiba-lint-'));
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(tree, path)), { recursive: true });
      writeFileSync(join(tree, path), text);
    };
    const settings = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8'));
    write('biome.json', JSON.stringify({ ...settings, vcs: { enabled: false } }));
    cpSync(join(root, 'tests/static/lint'), join(tree, 'tests/static/lint'), { recursive: true });
    for (const files of Object.values(BREACHES)) {
      for (const [path, lines] of Object.entries(files)) write(path, `${lines.join('\n')}\n`);
    }
    for (const [path, text] of Object.entries(SOUND)) write(path, text);
    found = diagnosticsOf(tree).map(({ location }) => `${location.path}:${location.start.line}`);
  });
  afterAll(() => rmSync(tree, { recursive: true }));

  test.each(Object.entries(BREACHES))('find each breach of %s', (_, files) => {
    const expected = Object.entries(files).flatMap(([path, lines]) =>
      lines.map((_line, index) => `${path}:${index + 1}`),
    );
    expect(found).toEqual(expect.arrayContaining(expected));
  });

  test('find nothing in valid files', () => {
    const files = new Set(found.map((place) => place.split(':')[0]));
    for (const path of Object.keys(SOUND)) expect(files).not.toContain(path);
  });
});

/** Plugins, and a rule of Biome that the settings configure. */
const OURS = new Set(['plugin', 'lint/style/noRestrictedImports']);

/** The findings of our rules in a tree, without those of Biome's own rules. */
function diagnosticsOf(tree: string): Diagnostic[] {
  const program = join(root, 'node_modules/@biomejs/biome/bin/biome');
  const args = [program, 'lint', '--reporter=json', '--max-diagnostics=none', '.'];
  const { stdout } = spawnOf(args, tree);
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: Diagnostic[] };
  return diagnostics.filter(({ category }) => OURS.has(category));
}

/** Biome exits with 1 if it finds something; its output is then in the error. */
function spawnOf(args: string[], cwd: string): { stdout: string } {
  try {
    return {
      stdout: execFileSync(process.execPath, args, { cwd, encoding: 'utf8', stdio: 'pipe' }),
    };
  } catch (error) {
    return error as { stdout: string };
  }
}
