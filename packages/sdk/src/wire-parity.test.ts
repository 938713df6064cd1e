import type * as contract from '@ceiba/contract';
import {
  authorizeBatchRequestSchema,
  authorizeBatchResultSchema,
  authorizeRequestSchema,
  BATCH_SIZE_MAX,
  decisionSchema,
  transportErrorSchema,
} from '@ceiba/contract';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { batchBody, parseBatchAnswers, QUESTIONS_MAX } from './batch.ts';
import { parseDecision } from './generated/wire.ts';
import { allowDecision, denyDecision } from './testing.ts';
import type * as sdk from './types.ts';

/** What a schema takes. */
type Input<T extends { readonly _zod: { readonly input: unknown } }> = T['_zod']['input'];
/** `readonly` is a promise of this package, not a part of the wire format. */
type Mutable<T> = T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T;

describe('the types of this package', () => {
  it('equal those of the contract', () => {
    expectTypeOf<Mutable<sdk.ApiKeySummary>>().toEqualTypeOf<contract.ApiKeySummary>();
    expectTypeOf<Mutable<sdk.ApiKeyListResult>>().toEqualTypeOf<contract.ApiKeyListResult>();
    expectTypeOf<Mutable<sdk.ApiKeyCreateResult>>().toEqualTypeOf<contract.ApiKeyCreateResult>();
    expectTypeOf<
      Mutable<sdk.ApiKeyLifecycleResult>
    >().toEqualTypeOf<contract.ApiKeyLifecycleResult>();
    expectTypeOf<Mutable<sdk.AccessContext>>().toEqualTypeOf<contract.AccessContext>();
    expectTypeOf<Mutable<sdk.ExceededLimit>>().toEqualTypeOf<contract.ExceededLimit>();
    expectTypeOf<Mutable<sdk.Limits>>().toEqualTypeOf<contract.Limits>();
    expectTypeOf<Mutable<sdk.ResetAfterSeconds>>().toEqualTypeOf<contract.ResetAfterSeconds>();
    expectTypeOf<Mutable<sdk.Customer>>().toEqualTypeOf<contract.CustomerBody>();
    expectTypeOf<Mutable<sdk.CustomerListResult>>().toEqualTypeOf<contract.CustomerListResult>();
    expectTypeOf<Mutable<sdk.UsageResult>>().toEqualTypeOf<contract.UsageResult>();
    expectTypeOf<Mutable<sdk.CustomerUsageResult>>().toEqualTypeOf<contract.CustomerUsageResult>();
    expectTypeOf<Mutable<sdk.CreateApiKeyRequest>>().toEqualTypeOf<
      Input<typeof contract.createApiKeyRequestSchema>
    >();
    expectTypeOf<Mutable<sdk.UpdateApiKeyRequest>>().toEqualTypeOf<
      Input<typeof contract.updateApiKeyRequestSchema>
    >();
    expectTypeOf<Mutable<sdk.CreateCustomerRequest>>().toEqualTypeOf<
      Input<typeof contract.createCustomerRequestSchema>
    >();
    expectTypeOf<Mutable<sdk.UpdateCustomerRequest>>().toEqualTypeOf<
      Input<typeof contract.updateCustomerRequestSchema>
    >();
    expectTypeOf<keyof sdk.CustomerQuery>().toEqualTypeOf<
      keyof Input<typeof contract.customerQuerySchema>
    >();
    expectTypeOf<keyof sdk.UsageQuery>().toEqualTypeOf<
      keyof Input<typeof contract.usageQuerySchema>
    >();
    expectTypeOf<Mutable<sdk.AuthorizeInput>>().toExtend<contract.AuthorizeRequest>();
    expectTypeOf<contract.Decision>().toExtend<sdk.Decision>();
  });

  it('match the decisions of the fake client too', () => {
    for (const decision of [allowDecision(), denyDecision('rate_limited')]) {
      expect(decisionSchema.parse(decision)).toEqual(decision);
      expect(parseDecision(decision)).toEqual(decision);
    }
  });

  it('match the batch of the contract, which takes more questions than the client sends', () => {
    expect(QUESTIONS_MAX).toBeLessThanOrEqual(BATCH_SIZE_MAX);
    const questions = Array.from({ length: QUESTIONS_MAX }, (_, index) => ({
      apiKey: index === 0 ? null : `key "${index}"`,
      method: 'GET',
      path: '/v1/reports',
      ...(index % 2 === 0 ? {} : { cost: index }),
    }));
    const body = JSON.parse(batchBody(questions.map((question) => JSON.stringify(question))));
    expect(authorizeBatchRequestSchema.parse(body)).toEqual({ requests: questions });
    expect(questions.map((question) => authorizeRequestSchema.parse(question))).toEqual(questions);
  });

  it('match the answers to a batch', () => {
    const decisions = [allowDecision(), denyDecision('rate_limited')];
    const refusals = ([400, 503] as const).map((status) => ({ status, error: 'e', message: 'm' }));
    const answer = authorizeBatchResultSchema.parse({
      results: [...decisions.map((decision) => ({ status: 200, decision })), ...refusals],
    });
    expect(parseBatchAnswers(answer, 4)).toMatchObject([
      ...decisions.map((decision) => ({ decision })),
      ...refusals.map(({ status, ...body }) => ({
        error: { failure: 'error_status', status, body },
      })),
    ]);
  });

  it('leave the body of a transport error unknown', () => {
    const body = { error: 'conflict', message: 'No.', requestId: 'r' };
    expect(transportErrorSchema.parse(body)).toEqual(body);
  });
});
