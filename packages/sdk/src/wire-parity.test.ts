import type * as contract from '@ceiba/contract';
import { decisionSchema, transportErrorSchema } from '@ceiba/contract';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { parseDecision } from './decision.ts';
import { allowDecision, denyDecision } from './testing.ts';
import type * as sdk from './types.ts';

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
    expectTypeOf<Mutable<sdk.Limits>>().toEqualTypeOf<contract.Limits>();
    expectTypeOf<Mutable<sdk.ResetAfterSeconds>>().toEqualTypeOf<contract.ResetAfterSeconds>();
    expectTypeOf<Mutable<sdk.AuthorizeInput>>().toExtend<contract.AuthorizeRequest>();
    expectTypeOf<contract.Decision>().toExtend<sdk.Decision>();
  });

  it('match the decisions of the fake client too', () => {
    for (const decision of [allowDecision(), denyDecision('rate_limited')]) {
      expect(decisionSchema.parse(decision)).toEqual(decision);
      expect(parseDecision(decision)).toEqual(decision);
    }
  });

  it('leave the body of a transport error unknown', () => {
    const body = { error: 'conflict', message: 'No.', requestId: 'r' };
    expect(transportErrorSchema.parse(body)).toEqual(body);
  });
});
