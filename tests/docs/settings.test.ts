import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { settingFields as command } from '../../apps/cli/src/env.ts';
import { settingFields as consoleFields } from '../../apps/console/src/env.ts';
import { settingFields as runtime } from '../../apps/runtime/src/env.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const example = read('.env.example');

/** The programs that parse settings, each with the field that it parses a setting with. */
const PROGRAMS = { Runtime: runtime.shape, console: consoleFields.shape, ceiba: command.shape };

interface Field {
  safeParse(value: unknown): { success: boolean; data?: unknown; error?: { issues: Issue[] } };
}
interface Issue {
  message: string;
}

/** Who parses a setting; the others read it without a check. */
const fieldsOf = (name: string): [string, Field][] =>
  Object.entries(PROGRAMS).flatMap(([program, shape]) => {
    const field = (shape as Record<string, Field>)[name];
    return field === undefined ? [] : [[program, field]];
  });

/** From what a program answers to a wrong value: "must be a whole number from 1 to 60000". */
function typeOf(field: Field): string {
  const messages = [0, '', '\0'].flatMap((wrong) =>
    (field.safeParse(wrong).error?.issues ?? []).map(({ message }) => message),
  );
  const [, type] =
    /^must (?:be(?: one of)?|list) (?!blank)(.+)$/.exec(
      messages.find((message) => /^must (?:be(?! blank)|list) /.test(message)) ?? '',
    ) ?? [];
  return type?.replace(/(such as) (.+)$/, '$1 `$2`').replace('a whole number from ', '') ?? 'text';
}

function defaultOf(field: Field): string {
  const unset = field.safeParse(undefined);
  if (!unset.success) return 'required';
  return ['string', 'number', 'boolean'].includes(typeof unset.data) ? `\`${unset.data}\`` : '';
}

const code = (text: string) =>
  text.replaceAll(/\S*:\/\/\S*|(?<!`)\b[A-Z]+_[A-Z_]+\b(?!`)/g, '`$&`');
const linked = (text: string) =>
  text.replaceAll(/docs\/\w+\/([\w-]+)\.md(?:#[\w-]+)?/g, (path, name) => {
    return `[${name.replaceAll('-', ' ')}](${path.replace('docs/', '../')})`;
  });

/** The sections of `.env.example` as tables, with what the programs know of each setting. */
function pageOf(): string {
  const [, ...sections] = example.split(/^# ── (.+?) ─+\n/m);
  const tables = sections.flatMap((text, index) => {
    if (index % 2 === 0)
      return [
        `\n## ${text}\n| Setting | Type | Default | Read by | Effect |\n|---|---|---|---|---|`,
      ];
    return text.trim().split('\n\n').map(rowOf);
  });
  return `${HEAD}\n${tables.join('\n')}\n`;
}

function rowOf(block: string): string {
  const lines = block.split('\n').map((line) => line.replace(/^# ?/, ''));
  const [, name = '', shown = ''] = /^([A-Z][A-Z0-9_]+)=(.*)$/.exec(lines.pop() ?? '') ?? [];
  const fields = fieldsOf(name);
  const [, field] = fields[0] ?? [];
  const cells = [
    `\`${name}\``,
    field === undefined ? 'text' : typeOf(field),
    field === undefined ? shown && `\`${shown}\`` : defaultOf(field),
    fields.map(([program]) => program).join(', '),
    linked(code(lines.join(' '))),
  ];
  return `| ${cells.join(' | ').replaceAll(/ +/g, ' ')} |`;
}

const HEAD = `# Settings

Environment variables, of which an empty one counts as unset. A range is one of whole numbers. \`npm start\` and the \`ceiba\` command read them from the file \`.env\` too. A program that gets a wrong value does not start, and names each setting that is wrong, never its value. A test writes this page from [\`.env.example\`](../../.env.example) and the code that parses the settings.`;

/** The files of the commands and the examples, which read settings one by one. */
const others = [
  ...readdirSync(join(root, 'examples')).map((name) => `examples/${name}/src/env.mjs`),
  ...['scripts', 'packages/build/src', 'packages/devstack/src'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((file) => `${folder}/${file}`),
  ),
  'tests/support/browser.ts',
].filter((path) => /(?<!\.test)\.m?[jt]s$/.test(path) && existsSync(join(root, path)));
const sources = others.map(read).join('\n');

/** Set by Node, npm, the terminal and the test runner, not by a user of Ceiba. */
const NOT_OURS = ['CEIBA_TEST_REPORT', 'HOME', 'NODE_ENV', 'NO_COLOR', 'PATH'];

describe('.env.example', () => {
  const documented = [...example.matchAll(/^# ([A-Z][A-Z0-9_]+)=/gm)].map(([, name = '']) => name);
  const parsed = Object.values(PROGRAMS).flatMap((shape) => Object.keys(shape));

  it('names every setting that the programs and the commands read, once', () => {
    const direct = [...sources.matchAll(/\(env, '([A-Z][A-Z0-9_]+)'|\benv\.([A-Z][A-Z0-9_]+)/g)];
    const destructured = [...sources.matchAll(/\{ ([A-Z_,\s]+) \} = process\.env/g)];
    const names = [
      ...parsed,
      ...direct.map(([, one, other = '']) => one ?? other),
      ...destructured.flatMap(([, list = '']) => list.split(/,\s*/)),
    ];
    expect(direct.length).toBeGreaterThan(5);
    expect(names.filter((name) => ![...documented, ...NOT_OURS].includes(name))).toEqual([]);
    expect(new Set(documented).size).toBe(documented.length);
  });

  it('names no setting that nothing reads', () => {
    const isRead = (name: string) =>
      parsed.includes(name) || new RegExp(`\\b${name}\\b`).test(sources);
    expect(documented.filter((name) => !isRead(name))).toEqual([]);
  });

  it('sets nothing by itself: a copy of it changes nothing', () => {
    expect(example.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([]);
  });
});

it('the reference of settings is that of the programs; --update writes it', async () => {
  await expect(pageOf()).toMatchFileSnapshot(`${root}docs/reference/settings.md`);
});
