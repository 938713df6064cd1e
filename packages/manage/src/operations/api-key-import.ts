import { importedApiKeySchema } from '@ceiba/contract';
import { dryRun, importApiKeys, type KeyImport, type KeyToImport } from '@ceiba/schema';
import { z } from 'zod';
import { dateOf, flag, projectId } from '../fields.ts';
import { changing, noProject, operation, requireProject } from '../operation.ts';
import { KEYS } from './api-keys.ts';

/** The most rows of one call. */
export const IMPORTED_KEYS_PER_CALL = 500;

const outcome = z.union([
  z.strictObject({
    outcome: z.enum(['imported', 'present']).describe('`present`: the project had it before.'),
    apiKeyId: z.string().describe('Of a key that a dry run would import, not the later one.'),
  }),
  z.strictObject({
    field: z.string().nullable().describe('Null where it is the whole row.'),
    problem: z.string().describe('Completes a sentence that begins with the field.'),
  }),
]);
export type ImportedKeyOutcome = z.output<typeof outcome>;

/** Judged by {@link importedApiKeySchema} by itself, so that one that is wrong leaves the others. */
export const importedRow = z.unknown();

export const importKeys = operation({
  name: 'importApiKeys',
  summary:
    'Take over keys of another issuer by their digests; one that is refused leaves the others',
  method: 'POST',
  path: `${KEYS}/import`,
  access: 'write',
  isLong: true,
  example: {
    apiKeys: [
      {
        digest: 'jZae727K08KaOmKSgOaGzww_XVqGr_PKEgIMkjrcbJI',
        encoding: 'base64url',
        displayName: 'Mobile app',
        keyPrefix: 'sk_a3Qt',
      },
    ],
  },
  input: z.strictObject({
    projectId,
    apiKeys: z
      .array(importedRow)
      .max(IMPORTED_KEYS_PER_CALL, `must be at most ${IMPORTED_KEYS_PER_CALL}`),
    dryRun: flag.describe('Find the same results, and change nothing.'),
    before: z
      .record(z.string(), z.int().min(0))
      .default({})
      .describe(
        'In a dry run, how many keys earlier calls would have imported, by the external id of their customer; empty for none.',
      ),
  }),
  output: z.strictObject({ results: z.array(outcome) }),
  run: async (call, { projectId, apiKeys, dryRun: isDryRun, before }) => {
    await requireProject(call, projectId);
    const ctx = changing(call, projectId, 'change_keys');
    const parsed = apiKeys.map((given) => parseRow(given));
    const keys = parsed.flatMap(({ data }) => (data === undefined ? [] : [keyOf(data)]));
    const result = isDryRun
      ? await dryRun(ctx, (tx) => importApiKeys(tx, { projectId, keys, before }))
      : await importApiKeys(ctx, { projectId, keys });
    if (result.kind === 'not_found') throw noProject(projectId);
    const rest = result.results.values();
    const results = parsed.map(({ error }) => {
      if (error !== undefined) return problemOf(error);
      const { value, done } = rest.next();
      if (done) throw new Error('a key has no result');
      return outcomeOf(value);
    });
    return { results };
  },
});

function keyOf({
  digest,
  encoding,
  expiresAt,
  createdAt,
  ...fields
}: z.output<typeof importedApiKeySchema>): KeyToImport {
  const times = { expiresAt: dateOf(expiresAt), createdAt: dateOf(createdAt) };
  return { ...fields, ...times, digest: Buffer.from(digest, encoding) };
}

/** An error has the inputs, which say what is missing. */
const parseRow = (given: unknown) => importedApiKeySchema.safeParse(given, { reportInput: true });

/** The first field of a row that is wrong. */
function problemOf({ issues: [issue] }: z.ZodError): ImportedKeyOutcome {
  if (issue?.code === 'unrecognized_keys') {
    return { field: issue.keys[0]?.slice(0, 64) ?? null, problem: 'is no field of a key' };
  }
  const field = issue?.path.join('.') || null;
  if (issue?.code !== 'invalid_type') return { field, problem: issue?.message ?? 'is wrong' };
  return {
    field,
    problem: issue.input === undefined ? 'is required' : `must be of the type ${issue.expected}`,
  };
}

function outcomeOf(result: KeyImport): ImportedKeyOutcome {
  switch (result.kind) {
    case 'imported':
    case 'present':
      return { outcome: result.kind, apiKeyId: result.apiKeyId };
    case 'replaced':
      return {
        field: 'digest',
        problem: `is that of a secret which a rotation of key ${result.apiKeyId} has replaced`,
      };
    case 'unknown_customer':
      return { field: 'externalCustomerId', problem: 'is not a customer of the project' };
    case 'plan_limit_reached':
      return {
        field: null,
        problem: `has no room: the ${result.of === 'plan' ? 'plan of the project' : 'plan of the customer'} allows ${result.activeKeyCap} active keys`,
      };
    case 'invalid': {
      const [first] = result.error.problems;
      return { field: first?.field ?? null, problem: first?.rule ?? result.error.message };
    }
  }
}
