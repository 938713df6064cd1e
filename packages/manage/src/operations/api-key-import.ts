import { importedApiKeySchema, planAllows, safeParse } from '@ceiba/contract';
import { dryRun, importApiKeys, type KeyImport, keyToImport } from '@ceiba/schema';
import { z } from 'zod';
import { flag, projectId } from '../fields.ts';
import { changing, noProject, operation } from '../operation.ts';
import { problemOf, problemOfInput, rowProblem } from '../row-problem.ts';
import { KEYS } from './api-keys.ts';

/** The most rows of one call. */
export const IMPORTED_KEYS_PER_CALL = 500;

const outcome = z.union([
  z.strictObject({
    outcome: z.enum(['imported', 'present']).describe('`present`: the project had it before.'),
    apiKeyId: z.string().describe('Of a key that a dry run would import, not the later one.'),
  }),
  rowProblem,
]);
export type ImportedKeyOutcome = z.output<typeof outcome>;

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
      .array(z.unknown().meta({ $ref: '#/components/schemas/ImportedApiKey' }))
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
    const ctx = changing(call, projectId, 'change_keys');
    const parsed = apiKeys.map((given) => safeParse(importedApiKeySchema, given));
    const keys = parsed.flatMap(({ data }) => (data === undefined ? [] : keyToImport(data)));
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
      return { field: null, problem: `has no room: the ${planAllows(result)}` };
    case 'invalid':
      return problemOfInput(result.error);
  }
}
