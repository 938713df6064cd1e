import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Outcome } from '@ceiba/contract/sets';
import { mintApiKey } from '@ceiba/domain';
import {
  createApiKey,
  createDatabase,
  type NewDecision,
  recordUsage,
  writeDecisions,
} from '@ceiba/schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createEmptyDatabase,
  type EmptyDatabase,
  OWNER_PASSWORD,
  PATIENT,
  runCeiba,
  typing,
} from '../../integration/cli/support.ts';

/** Runs each command of `docs/reference/cli.md`, from top to bottom, and compares its output with the page. */
const docs = readFileSync(
  fileURLToPath(new URL('../../../docs/reference/cli.md', import.meta.url)),
  'utf8',
);

interface Example {
  command: string;
  output: string;
}

/** YAML keeps the comment that names it; CSV has none. */
const files = [...docs.matchAll(/```(yaml|csv)\n(# (\S+)\n)([\s\S]*?)```/g)].map(
  ([, kind, comment = '', name = '', text = '']) => ({
    name,
    text: kind === 'yaml' ? comment + text : text,
  }),
);
const examples: Example[] = [...docs.matchAll(/```console\n([\s\S]*?)```/g)].flatMap(
  ([, block = '']) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((text) => {
        const [command = '', ...output] = text.trimEnd().split('\n');
        return { command, output: output.join('\n') };
      }),
);

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Replaces what differs from run to run. */
const normalised = (text: string) =>
  text
    .replace(UUID, '<id>')
    // The page has no complete secret, so that no scanner finds one.
    .replace(/ceiba_(?:secret|setup)_(?:\w+|…)/g, '<secret>')
    .replace(/ceiba_\w{8}…/g, '<prefix>')
    .replace(/ceiba_(?:\w{40,}|…)/g, '<key>')
    .replace(/Applied \d+ migrations/, 'Applied <n> migrations')
    .replace(/\b\d{14}_\w+/g, '<migration>')
    .replace(/ +$/gm, '')
    .replace(/(from|to) \d{4}-\d\d-\d\d/g, '$1 <day>')
    .replace(/(until |"previousSecretExpiresAt": ")[-\dT:.]+Z/g, '$1<time>')
    .trimEnd();

/** The details of the checks differ from machine to machine; their names do not. */
const postgresChecks = (text: string) =>
  [...text.matchAll(/^(\w+) +(DATABASE_URL |REDIS_URL |postgres \S+|migrations .*)/gm)].map(
    ([, status, name]) => `${status} ${name}`,
  );

describe('docs/reference/cli.md', () => {
  let empty: EmptyDatabase;
  const folder = mkdtempSync(join(tmpdir(), 'ceiba-docs-'));
  /** The ids of the page, and the corresponding ones of this run. */
  const ids = new Map<string, string>();

  beforeAll(async () => {
    empty = await createEmptyDatabase();
    for (const { name, text } of files) writeFileSync(join(folder, name), text);
  });
  afterAll(async () => {
    await empty.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function runAsShown({ command }: Example) {
    if (command.includes(' requests ')) await logDecisions();
    if (command.includes(' usage ')) await countDecisions();
    for (const id of command.match(UUID) ?? []) {
      if (!ids.has(id)) ids.set(id, await makeKey());
    }
    // As a shell reads it: no example has a space within quotes.
    const args = command
      .replace(UUID, (id) => ids.get(id)!)
      .replaceAll("'", '')
      .split(' ');
    expect(args.shift()).toBe('ceiba');
    const asksForPassword = args[0] === 'owner';
    return runCeiba(args, {
      cwd: folder,
      env: {
        DATABASE_URL: empty.url,
        REDIS_URL: process.env.REDIS_URL!,
        ...(asksForPassword ? {} : { CEIBA_OWNER_PASSWORD: OWNER_PASSWORD }),
      },
      // Ends what would go on.
      closed: AbortSignal.abort(),
      ...(asksForPassword ? { stdin: typing(OWNER_PASSWORD, OWNER_PASSWORD) } : {}),
    });
  }

  /** The requests of the page. Logging them again changes nothing. */
  async function logDecisions(): Promise<void> {
    const shown = docs.match(/^\{"decisionId":.*$/m)?.[0];
    const { exceededLimit, allowed: _, denialReason, at: __, ...fields } = JSON.parse(shown!);
    const db = createDatabase(empty.url, PATIENT);
    try {
      const [project] = await db.sql<{ id: string }[]>`select id from projects`;
      const limited: NewDecision = {
        ...fields,
        projectId: project!.id,
        outcome: denialReason,
        limitOwner: exceededLimit.owner,
        limitWindow: exceededLimit.window,
        limitValue: exceededLimit.value,
      };
      const unmatched: NewDecision = {
        ...limited,
        decisionId: docs.match(/policy_no_match +([-0-9a-f]{36})/)![1]!,
        path: '/v1/billing',
        outcome: 'policy_no_match',
        limits: null,
        limitOwner: null,
        limitWindow: null,
        limitValue: null,
      };
      await writeDecisions(db, { decisions: [unmatched, limited], gaps: [] });
    } finally {
      await db.close();
    }
  }

  /** The counts of the page. Counting them again changes nothing. */
  async function countDecisions(): Promise<void> {
    const db = createDatabase(empty.url, PATIENT);
    try {
      const [key] = await db.sql<{ id: string; project: string }[]>`
        select id, project_id as project from api_keys where display_name = 'Batch job'`;
      const hour = Date.parse('2026-10-05T09:00:00Z') / 3_600_000;
      const counted = (outcome: Outcome, count: number) => ({
        projectId: key!.project,
        apiKeyId: key!.id,
        policyId: null,
        incarnation: 'docs',
        hour,
        outcome,
        count,
      });
      const hours = [counted('allowed', 12), counted('rate_limited', 2)];
      await recordUsage(db, { hours, months: [], lastUsed: [] });
    } finally {
      await db.close();
    }
  }

  /** The only id of the page that no command prints: a key is created in the console or by the API. */
  async function makeKey(): Promise<string> {
    const db = createDatabase(empty.url, PATIENT);
    try {
      const [project] = await db.sql<{ id: string }[]>`select id from projects`;
      const context = { db, actor: { kind: 'cli' }, clientAddress: null, requestId: null } as const;
      const created = await createApiKey(context, {
        projectId: project!.id,
        displayName: 'Batch job',
        mint: () => mintApiKey(randomBytes),
      });
      if (created.kind !== 'created') throw new Error(created.kind);
      return created.apiKeyId;
    } finally {
      await db.close();
    }
  }

  test('has an example of every command', () => {
    const shown = new Set(examples.map(({ command }) => command.split(' --')[0]));
    expect([...shown].sort()).toEqual([
      'ceiba apply -f ceiba.yaml',
      'ceiba apply -f fewer.yaml',
      'ceiba apply -f wrong.yaml',
      'ceiba customer create',
      'ceiba customer get',
      'ceiba customer import customers.csv',
      'ceiba customer list',
      'ceiba customer resume',
      'ceiba customer suspend',
      'ceiba customer update',
      'ceiba customer usage',
      'ceiba doctor',
      'ceiba export',
      'ceiba key archive',
      'ceiba key create',
      'ceiba key disable',
      'ceiba key enable',
      'ceiba key end-previous-secret',
      'ceiba key import keys.csv',
      'ceiba key list',
      'ceiba key revoke',
      'ceiba key rotate',
      'ceiba key set-limits',
      'ceiba migrate',
      'ceiba owner create',
      'ceiba owner remove-second-factor',
      'ceiba owner set-password',
      'ceiba project end-previous-secret',
      'ceiba project list',
      'ceiba project rotate-secret',
      'ceiba project set-subscription',
      'ceiba requests',
      'ceiba require-second-factor off',
      'ceiba setup-token',
      'ceiba usage',
    ]);
  });

  test.each(examples)('shows the output of: $command', async (example) => {
    const { output } = await runAsShown(example);
    const [shown, actual] = [example.output.match(UUID) ?? [], output.match(UUID) ?? []];
    for (const [index, id] of shown.entries()) if (!ids.has(id)) ids.set(id, actual[index]!);
    if (example.command.endsWith('doctor')) {
      expect(postgresChecks(normalised(output))).toEqual(
        postgresChecks(normalised(example.output)),
      );
    } else {
      expect(normalised(output)).toBe(normalised(example.output));
    }
  });

  test('lists every check of doctor', async () => {
    const doctor = { command: 'ceiba doctor --json', output: '' };
    const { checks } = JSON.parse((await runAsShown(doctor)).stdout);
    for (const { name } of checks) expect(docs).toContain(`\`${name}\``);
  });
});
