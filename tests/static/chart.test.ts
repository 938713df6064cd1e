import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { settingFields as consoleFields } from '../../apps/console/src/env.ts';
import { settingFields as runtime } from '../../apps/runtime/src/env.ts';

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

/** The settings of each program that the chart does not set by values of their own. */
const SETTINGS = {
  runtime: settingsOf(runtime, 'DATABASE_URL REDIS_URL RUNTIME_PORT EXT_AUTHZ_PORT METRICS_PORT'),
  console: settingsOf(consoleFields, 'DATABASE_URL NEXTAUTH_SECRET NEXTAUTH_URL CONSOLE_PORT'),
};

function settingsOf({ shape }: { shape: object }, setByTheChart: string): string[] {
  return Object.keys(shape).filter(
    (name) => !name.startsWith('OTEL_') && !setByTheChart.split(' ').includes(name),
  );
}

it('env and secretEnv offer every setting of a program, env none that is secret; --update writes them', async () => {
  const isSecret = (name: string) => /(?:_SECRET|_PASSWORD|SMTP_URL)$/.test(name);
  const path = 'charts/ceiba/values.schema.json';
  let written = read(path);
  for (const [program, settings] of Object.entries(SETTINGS)) {
    const lists = {
      Settings: settings.filter((name) => !isSecret(name)),
      Secrets: settings.filter(isSecret),
    };
    for (const [kind, names] of Object.entries(lists)) {
      const start = new RegExp(`("${program}${kind}": \\{\\s+"enum": \\[)[^\\]]*\\]`);
      written = written.replace(start, (_, before) => `${before}${listed(names)}]`);
      expect(JSON.parse(written).definitions[`${program}${kind}`].enum).toEqual(names);
      expect(written).toContain(`"$ref": "#/definitions/${program}${kind}"`);
    }
  }
  await expect(written).toMatchFileSnapshot(`${root}${path}`);
});

/** As the formatter has a list: in a line if that is short. */
function listed(names: string[]): string {
  const line = names.map((name) => `"${name}"`).join(', ');
  if (line.length <= 84) return line;
  return `\n${names.map((name) => `        "${name}"`).join(',\n')}\n      `;
}

it('the templates set only variables that the programs read', () => {
  const programs = [runtime, consoleFields].flatMap(({ shape }) => Object.keys(shape));
  const set = ['runtime', 'console', 'migration'].flatMap((file) => {
    const text = read(`charts/ceiba/templates/${file}.yaml`);
    return [...text.matchAll(/"([A-Z][A-Z0-9]*_[A-Z0-9_]+)"/g)].map(([, name = '']) => name);
  });
  expect(set).toContain('SHUTDOWN_DELAY_MS');
  expect(set.filter((name) => !programs.includes(name))).toEqual([]);
});
