import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type ApiKeyError,
  type ApiKeysCreateResult,
  type ApiKeysImportResult,
  createApiKeyRequestSchema,
  createApiKeysRequestSchema,
  dateOf,
  IDEMPOTENCY_KEY_HEADER,
  importApiKeysRequestSchema,
  importedApiKeySchema,
  safeParse,
} from '@ceiba/contract';
import { HTTP_STATUS_FOR_ERROR } from '@ceiba/contract/sets';
import {
  createApiKeys,
  importApiKeys,
  type KeyImport,
  keyToImport,
  type NewApiKeyResult,
} from '@ceiba/schema';
import type { z } from 'zod';
import {
  invalidField,
  invalidInput,
  invalidRequest,
  TransportError,
  unauthorized,
} from '../errors.ts';
import { parseBody } from './body.ts';
import { noCustomer } from './customer-routes.ts';
import { fullPlan, mintFrom } from './key-replies.ts';
import type { ProjectCall } from './project-routes.ts';

/** Creates up to 100 keys, each of which may be refused alone. */
export async function createBatch(call: ProjectCall): Promise<ApiKeysCreateResult> {
  const { projectId, random, run } = call;
  // A caller who sends it counts on it: a repeated call would create every key again.
  if (call.headers[IDEMPOTENCY_KEY_HEADER] !== undefined) {
    throw invalidRequest('"Idempotency-Key" is only for the creation of a single key.');
  }
  const given = parseBody(createApiKeysRequestSchema, call.body).apiKeys;
  const parsed = await parseEach(createApiKeyRequestSchema, given);
  const apiKeys = parsed.flatMap((key) =>
    key instanceof TransportError ? [] : [{ ...key, expiresAt: dateOf(key.expiresAt) }],
  );
  const input = { projectId, mint: mintFrom(random), apiKeys };
  const result = await run((ctx) => createApiKeys(ctx, input));
  if (result.kind === 'not_found') throw unauthorized();
  const results = inPlaces(parsed, result.results, (key, index) => {
    if (key.kind !== 'created') return errorOf(refusalOf(key, index));
    const { kind: _, ...apiKey } = key;
    return { status: 200, apiKey } as const;
  });
  return { results };
}

/** Takes over up to 1,000 keys of another issuer, each of which may be refused alone. */
export async function importBatch(call: ProjectCall): Promise<ApiKeysImportResult> {
  const { projectId, run } = call;
  const given = parseBody(importApiKeysRequestSchema, call.body).apiKeys;
  const parsed = await parseEach(importedApiKeySchema, given);
  const keys = parsed.flatMap((key) => (key instanceof TransportError ? [] : keyToImport(key)));
  const result = await run((ctx) => importApiKeys(ctx, { projectId, keys }));
  if (result.kind === 'not_found') throw unauthorized();
  const results = inPlaces(parsed, result.results, (key, index) => {
    if (key.kind !== 'imported' && key.kind !== 'present') return errorOf(refusalOf(key, index));
    return { status: 200, apiKeyId: key.apiKeyId } as const;
  });
  return { results };
}

/** So many keys are parsed before other calls have their turn. */
const KEYS_PER_TURN = 50;

async function parseEach<Schema extends z.ZodType>(
  schema: Schema,
  given: readonly unknown[],
): Promise<(z.output<Schema> | TransportError)[]> {
  const parsed = [];
  for (const [index, item] of given.entries()) {
    if (index % KEYS_PER_TURN === KEYS_PER_TURN - 1) await nextTurn();
    const result = safeParse(schema, item);
    parsed.push(result.success ? result.data : invalidField(result.error, ['apiKeys', index]));
  }
  return parsed;
}

/** One result per key of a body: an error of its own, or what became of it. */
function inPlaces<Result, Body>(
  parsed: readonly unknown[],
  results: readonly Result[],
  bodyOf: (result: Result, index: number) => Body,
): (Body | ApiKeyError)[] {
  const rest = results.values();
  return parsed.map((key, index) => {
    if (key instanceof TransportError) return errorOf(key);
    const { value, done } = rest.next();
    if (done) throw new Error('a key has no result');
    return bodyOf(value, index);
  });
}

type Refused = Exclude<NewApiKeyResult | KeyImport, { kind: 'created' | 'imported' }>;

function refusalOf(refused: Refused, index: number): TransportError {
  switch (refused.kind) {
    case 'invalid':
      return invalidInput(refused.error, ['apiKeys', index]);
    case 'unknown_customer':
      return noCustomer();
    case 'plan_limit_reached':
      return fullPlan(refused);
    default:
      return new TransportError(
        'conflict',
        `A rotation has replaced this secret: the key ${refused.apiKeyId} has another one since.`,
      );
  }
}

/** The statuses that a refused key can have. */
const STATUSES = [400, 403, 404, 409] as const;

function errorOf({ code, message }: TransportError): ApiKeyError {
  const status = STATUSES.find((each) => each === HTTP_STATUS_FOR_ERROR[code]);
  if (status === undefined) throw new Error('a key was refused for another reason');
  return { status, error: code, message };
}
