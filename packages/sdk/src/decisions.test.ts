import { decisionSchema } from '@ceiba/contract';
import { describe, expect, it } from 'vitest';
import { parseDecision } from './generated/wire.ts';

const ID = '0192f0c0-0000-7000-8000-000000000001';
const ALLOW = {
  allowed: true,
  decisionId: ID,
  access: {
    projectId: ID,
    apiKey: { apiKeyId: ID, displayName: 'Nightly job', keyPrefix: 'ceiba_Ab3dEf6h' },
    policy: { policyId: ID, method: 'GET', pathPattern: '/v1/reports*' },
    plan: { planId: ID, name: 'Pro' },
  },
  limits: {
    rateLimitPerMinute: 60,
    monthlyQuota: 10_000,
    remainingThisMinute: 59,
    remainingThisMonth: 9_999,
  },
  resetAfterSeconds: { minute: 12, month: 86_400 },
};
const DENY = {
  allowed: false,
  decisionId: ID,
  denialReason: 'rate_limited',
  retryAfterSeconds: 12,
};

/** Every path to a field of the value, such as `access.plan.name`. */
function fieldPaths(value: object, prefix: string[] = []): string[][] {
  return Object.entries(value).flatMap(([name, field]) => {
    const path = [...prefix, name];
    return typeof field === 'object' ? [path, ...fieldPaths(field, path)] : [path];
  });
}

function withField(
  path: string[],
  change: (parent: Record<string, unknown>, name: string) => void,
) {
  const copy: Record<string, unknown> = structuredClone(ALLOW);
  const name = path.at(-1) ?? '';
  let parent = copy;
  for (const step of path.slice(0, -1)) parent = parent[step] as Record<string, unknown>;
  change(parent, name);
  return copy;
}

const OPTIONAL = /^resetAfterSeconds/;
const needed = fieldPaths(ALLOW).filter((path) => !OPTIONAL.test(path.join('.')));

describe('parseDecision', () => {
  it('parses an allow and a denial of the contract', () => {
    expect(decisionSchema.parse(ALLOW)).toEqual(ALLOW);
    expect(parseDecision(ALLOW)).toEqual(ALLOW);
    expect(parseDecision(DENY)).toEqual(DENY);
  });

  it.each(needed.map((path) => path.join('.')))('refuses an allow without %s', (name) => {
    const broken = withField(name.split('.'), (parent, field) => delete parent[field]);
    expect(parseDecision(broken)).toBeUndefined();
  });

  it.each(needed.map((path) => path.join('.')))('refuses an allow with an invalid %s', (name) => {
    const invalid =
      name === 'allowed' ? ['true', 1, {}, [true]] : [null, {}, [], -1, 1.5, true, ''];
    for (const value of invalid) {
      const broken = withField(name.split('.'), (parent, field) => {
        parent[field] = value;
      });
      expect(parseDecision(broken)?.allowed ?? false, JSON.stringify(value)).toBe(false);
    }
  });

  it.each([
    ['null', null],
    ['text', 'allowed'],
    ['a number', 1],
    ['true', true],
    ['an array', [ALLOW]],
    ['an empty object', {}],
    ['"true" in text', { ...ALLOW, allowed: 'true' }],
    ['a denial without a reason', { allowed: false, decisionId: ID }],
    ['a denial with an invalid reason', { ...DENY, denialReason: 42 }],
  ])('does not parse %s as a decision', (_name, body) => {
    expect(parseDecision(body)).toBeUndefined();
  });

  it('denies for an unknown reason', () => {
    const decision = parseDecision({ ...DENY, denialReason: 'suspended_api_key' });
    expect(decision).toMatchObject({ allowed: false, denialReason: 'suspended_api_key' });
  });

  it('ignores and drops unknown fields', () => {
    const later = structuredClone({
      ...ALLOW,
      region: 'eu',
      limits: { ...ALLOW.limits, burst: 5 },
    });
    expect(parseDecision(later)).toEqual(ALLOW);
    expect(parseDecision({ ...DENY, region: 'eu' })).toEqual(DENY);
  });

  it('keeps a verdict whose reset or retry times are invalid', () => {
    const { resetAfterSeconds: _, ...rest } = ALLOW;
    for (const resetAfterSeconds of [undefined, null, 'soon', { minute: -1, month: 1 }]) {
      expect(parseDecision({ ...ALLOW, resetAfterSeconds })).toEqual(rest);
    }
    const { retryAfterSeconds: __, ...denial } = DENY;
    expect(parseDecision({ ...DENY, retryAfterSeconds: 'later' })).toEqual(denial);
  });

  it('parses no allow from a field named __proto__', () => {
    expect(parseDecision(JSON.parse(`{"__proto__":${JSON.stringify(ALLOW)}}`))).toBeUndefined();
  });
});
