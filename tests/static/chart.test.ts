import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8');

interface Schema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  propertyNames?: unknown;
  $ref?: string;
}

const schema = JSON.parse(read('charts/ceiba/values.schema.json'));
const values = parse(read('charts/ceiba/values.yaml'));

interface Value {
  path: string;
  schema: Schema;
  /** Undefined for a value that values.yaml does not have. */
  fallback: unknown;
}

/** The values of a schema without those below them, with the default of each. */
function valuesOf({ properties = {} }: Schema, defaults: unknown, path: string[] = []): Value[] {
  return Object.entries(properties).flatMap(([name, each]) => {
    const fallback = (defaults as Record<string, unknown> | undefined)?.[name];
    const here = [...path, name];
    if (each.properties !== undefined) return valuesOf(each, fallback, here);
    return [{ path: here.join('.'), schema: each, fallback }];
  });
}

const all = valuesOf(schema, values);

function objectsOf(each: Schema): Schema[] {
  const inside = Object.values(each.properties ?? {}).flatMap(objectsOf);
  return each.properties === undefined ? [] : [each, ...inside];
}

describe('the values of the chart', () => {
  it('are described, and others are refused', () => {
    const described = [...objectsOf(schema).slice(1), ...all.map((value) => value.schema)];
    expect(described.filter(({ description }) => !/^\S.*\.$/s.test(description ?? ''))).toEqual([]);
    const open = objectsOf(schema).filter((each) => each.additionalProperties !== false);
    expect(open).toEqual([]);
  });

  it('all have their default in values.yaml', () => {
    const missing = all.filter(({ fallback, path }) => fallback === undefined && path !== 'global');
    expect(missing).toEqual([]);
  });

  it("are in the table of the chart's README; --update writes it", async () => {
    const rows = all
      .filter(({ path }) => path !== 'global')
      .map(({ path, schema: { description }, fallback }) => {
        const text = typeof fallback === 'object' ? JSON.stringify(fallback) : String(fallback);
        return `| \`${path}\` | ${text === '' ? '' : `\`${text}\``} | ${description} |`;
      });
    const table = ['| Value | Default | Meaning |', '|---|---|---|', ...rows].join('\n');
    const page = read('charts/ceiba/README.md').replace(
      /(<!-- values -->\n).*(<!-- \/values -->)/s,
      (_, start, end) => `${start}${table}\n${end}`,
    );
    expect(page).toContain(table);
    await expect(page).toMatchFileSnapshot(`${root}charts/ceiba/README.md`);
  });
});

/** The settings of a program, by its schema. */
const settingsOf = (path: string) =>
  [...read(path).matchAll(/^ {4}([A-Z][A-Z0-9_]+): /gm)].map(([, name = '']) => name);

/** Those that the chart sets from values of their own, and `env` refuses. */
const SET_BY_THE_CHART = {
  runtime: ['DATABASE_URL', 'REDIS_URL', 'RUNTIME_PORT', 'EXT_AUTHZ_PORT', 'METRICS_PORT'],
  console: ['DATABASE_URL', 'NEXTAUTH_SECRET', 'NEXTAUTH_URL', 'CONSOLE_PORT'],
};

describe.each(['runtime', 'console'] as const)('%s.env', (program) => {
  const file = { runtime: 'apps/runtime/src/env.ts', console: 'apps/console/src/env.ts' }[program];
  const others = (names: readonly string[]) =>
    names.filter((name) => !name.startsWith('OTEL_') && !SET_BY_THE_CHART[program].includes(name));
  const { env, secretEnv } = schema.properties[program].properties;
  const plain: string[] = env.propertyNames.allOf[0].anyOf[0].enum;
  const fromSecrets: string[] = secretEnv.propertyNames.anyOf[0].enum;

  it(`and secretEnv offer every setting of ${file}, and no other`, () => {
    const settings = others(settingsOf(file));
    expect(settings.length).toBeGreaterThan(10);
    expect([...fromSecrets].sort()).toEqual(settings.sort());
  });

  it('offers those that are not secret', () => {
    const secret = /(?:_SECRET|_PASSWORD|SMTP_URL)$/;
    expect(plain).toEqual(fromSecrets.filter((name) => !secret.test(name)));
  });
});

it('the templates set only variables that the programs read', () => {
  const programs = ['apps/runtime/src/env.ts', 'apps/console/src/env.ts'].flatMap(settingsOf);
  const set = ['runtime', 'console', 'migration'].flatMap((file) => {
    const text = read(`charts/ceiba/templates/${file}.yaml`);
    return [...text.matchAll(/"([A-Z][A-Z0-9]*_[A-Z0-9_]+)"/g)].map(([, name = '']) => name);
  });
  expect(set).toContain('SHUTDOWN_DELAY_MS');
  expect(set.filter((name) => !programs.includes(name))).toEqual([]);
});
