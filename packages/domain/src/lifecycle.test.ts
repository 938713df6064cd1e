import { API_KEY_STATUSES, type ApiKeyStatus } from '@ceiba/contract/sets';
import { describe, expect, it } from 'vitest';
import {
  type ApiKeyTrigger,
  statusAfter,
  statusesThat,
  statusesThatCount,
  TRANSITIONS,
  type TransitionOutcome,
} from './lifecycle.ts';

const TRIGGERS = Object.keys(TRANSITIONS) as ApiKeyTrigger[];

/** The contract's table, "API key status", row by row. */
const CONTRACT_ROWS: [ApiKeyStatus, ApiKeyTrigger, TransitionOutcome, ApiKeyStatus][] = [
  ['active', 'revoke', 'updated', 'revoked'],
  ['revoked', 'revoke', 'unchanged', 'revoked'],
  ['archived', 'revoke', 'conflict', 'archived'],
  ['active', 'archive', 'updated', 'archived'],
  ['archived', 'archive', 'unchanged', 'archived'],
  ['revoked', 'archive', 'conflict', 'revoked'],
  ['active', 'set_expiry', 'updated', 'active'],
  ['revoked', 'set_expiry', 'conflict', 'revoked'],
  ['archived', 'set_expiry', 'conflict', 'archived'],
];

/** The contract says nothing of these; they follow the expiry. */
const OWN_TRIGGERS = ['set_disabled', 'update', 'rotate', 'end_previous_secret'] as const;
const OWN_ROWS = OWN_TRIGGERS.flatMap((trigger): typeof CONTRACT_ROWS => [
  ['active', trigger, 'updated', 'active'],
  ['revoked', trigger, 'conflict', 'revoked'],
  ['archived', trigger, 'conflict', 'archived'],
]);
const ROWS = [...CONTRACT_ROWS, ...OWN_ROWS];

describe('the life of a downstream key', () => {
  it.each(ROWS)('%s + %s is %s and leaves the key %s', (from, trigger, outcome, to) => {
    expect(TRANSITIONS[trigger][from]).toBe(outcome);
    expect(outcome === 'updated' ? statusAfter(trigger) : from).toBe(to);
  });

  it('has a row for every status and trigger', () => {
    expect(ROWS).toHaveLength(API_KEY_STATUSES.length * TRIGGERS.length);
  });

  it('has no way back: nothing leaves revoked or archived', () => {
    for (const trigger of TRIGGERS) expect(statusesThat(trigger, 'updated')).toEqual(['active']);
  });

  it('splits the statuses of each trigger into three disjoint guards', () => {
    for (const trigger of TRIGGERS) {
      const guards = (['updated', 'unchanged', 'conflict'] as const).flatMap((outcome) =>
        statusesThat(trigger, outcome),
      );
      expect(guards.sort()).toEqual([...API_KEY_STATUSES].sort());
    }
  });

  it('answers a repeated trigger without a write, except for an expiry, which may change', () => {
    expect(statusesThat('revoke', 'unchanged')).toEqual(['revoked']);
    expect(statusesThat('archive', 'unchanged')).toEqual(['archived']);
    expect(statusesThat('set_expiry', 'unchanged')).toEqual([]);
  });

  it('counts only active keys against the cap', () => {
    expect(statusesThatCount()).toEqual(['active']);
  });
});
