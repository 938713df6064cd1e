import { describe, expect, it } from 'vitest';
import { fieldOf } from './facts.ts';
import { factOfField, isPast } from './hash.ts';

const PROJECT = '11111111-1111-4111-8111-111111111111';
const KEY = '22222222-2222-4222-8222-222222222222';
const POLICY = '33333333-3333-4333-8333-333333333333';

describe('a field of the usage hash', () => {
  it.each([
    [`h|abc123|498670|${KEY}|${POLICY}|rate_limited`, '12'],
    ['m|abc123|24322|project', '7'],
    [`m|abc123|24322|${KEY}`, '0'],
    [`m|abc123|24322|${KEY}@28`, '5'],
    ['d|abc123|20783|project@0', '9'],
    [`d|abc123|20783|${KEY}@0`, '9'],
  ])('is parsed and formatted again: %s', (field, value) => {
    const fact = factOfField(PROJECT, field, value);
    expect(fact).toMatchObject({ projectId: PROJECT, incarnation: 'abc123', count: Number(value) });
    expect(fact && fieldOf(fact)).toBe(field);
  });

  it.each([
    ['epoch', 'e123'],
    ['minute', '29920000'],
    ['m|abc123|24322|project', '-1'],
    ['m|abc123|24322|project', '1.5'],
    ['m|abc123|24322|project', '1e5'],
    ['m|abc123|24322|project', '999999999999999'],
    ['m|abc123||project', '1'],
    ['m||24322|project', '1'],
    ['m|abc123|24322|someone', '1'],
    ['m|abc123|24322|project@1', '1'],
    ['m|abc123|24322|project@29', '1'],
    ['m|abc123|24322|project@0', '1'],
    ['d|abc123|20783|project', '1'],
    ['d|abc123|20783|project@2', '1'],
    ['d|abc123|20783|someone@0', '1'],
    [`h|abc123|498670|${KEY}|${POLICY}|admitted`, '1'],
    [`h|abc123|498670|${KEY}|x|allowed`, '1'],
    [`h|abc123|498670|${KEY}|${POLICY}|allowed|more`, '1'],
  ])('is ignored if it is not a count: %s = %s', (field, value) => {
    expect(factOfField(PROJECT, field, value)).toBeNull();
  });

  it('is past when its window ended more than two hours ago', () => {
    const hour = {
      kind: 'hour',
      projectId: PROJECT,
      hour: 100,
      apiKeyId: KEY,
      policyId: POLICY,
    } as const;
    const fact = { ...hour, outcome: 'allowed', incarnation: 'i', count: 1 } as const;
    expect(isPast(fact, 101 * 60 + 119)).toBe(false);
    expect(isPast(fact, 101 * 60 + 120)).toBe(true);

    const day = { kind: 'day', projectId: PROJECT, day: 20_783, scope: 'project@0' } as const;
    expect(isPast({ ...day, incarnation: 'i', count: 1 }, 20_784 * 1440 + 119)).toBe(false);
    expect(isPast({ ...day, incarnation: 'i', count: 1 }, 20_784 * 1440 + 120)).toBe(true);

    const november = Date.UTC(2026, 11, 1) / 60_000;
    const month = {
      kind: 'month',
      projectId: PROJECT,
      month: 2026 * 12 + 10,
      scope: 'project',
    } as const;
    expect(isPast({ ...month, incarnation: 'i', count: 1 }, november + 119)).toBe(false);
    expect(isPast({ ...month, incarnation: 'i', count: 1 }, november + 120)).toBe(true);
  });

  it.each([2, 15, 28])(
    'keeps a month that began on day %i until two hours after its end',
    (day) => {
      const scope = `project@${day}`;
      const field = `m|i|${2026 * 12 + 10}|${scope}`;
      const fact = factOfField(PROJECT, field, '1');
      const end = Date.UTC(2026, 11, day) / 60_000;
      expect(fact && isPast(fact, end + 119)).toBe(false);
      expect(fact && isPast(fact, end + 120)).toBe(true);
    },
  );
});
