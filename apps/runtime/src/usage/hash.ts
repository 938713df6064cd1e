import { OUTCOMES, type Outcome, UUID, UUID_PATTERN } from '@ceiba/contract/sets';
import {
  CALENDAR_MONTH,
  DAY,
  MS_PER_MINUTE,
  PROJECT_SCOPE,
  WINDOWS,
  windowOfPeriod,
} from '@ceiba/domain';
import type { CountFact, UsageFact } from './facts.ts';

const INCARNATION = /^[0-9A-Za-z]{1,64}$/;
/** Up to 14 digits: what `charge.lua` counts to. */
const COUNT = /^(0|[1-9][0-9]{0,13})$/;

/** What is counted over a month from another day than the first has that day: `project@15`. */
const OWNER = `(?:${PROJECT_SCOPE}|${UUID_PATTERN})`;
const SCOPE = new RegExp(`^${OWNER}(?:@(?:[2-9]|1[0-9]|2[0-8]))?$`);
const SCOPE_OF_DAY = new RegExp(`^${OWNER}@${DAY}$`);

/**
 * Reads a data field of a project's usage hash, as `charge.lua` writes it.
 *
 * @returns null for any other field, such as the hash's own `epoch`, `incarnation` and `minute`
 */
export function factOfField(projectId: string, field: string, value: string): CountFact | null {
  const [kind, incarnation = '', window = '', ...rest] = field.split('|');
  if (!INCARNATION.test(incarnation) || !COUNT.test(window) || !COUNT.test(value)) return null;
  const count = Number(value);
  if (kind === 'm' && rest.length === 1) {
    const [scope = ''] = rest;
    if (!SCOPE.test(scope)) return null;
    return { kind: 'month', projectId, month: Number(window), scope, incarnation, count };
  }
  if (kind === 'd' && rest.length === 1) {
    const [scope = ''] = rest;
    if (!SCOPE_OF_DAY.test(scope)) return null;
    return { kind: 'day', projectId, day: Number(window), scope, incarnation, count };
  }
  if (kind === 'h' && rest.length === 3) {
    const [apiKeyId = '', policyId = '', outcome = ''] = rest;
    if (!UUID.test(apiKeyId) || !UUID.test(policyId) || !isOutcome(outcome)) return null;
    const hour = Number(window);
    return { kind: 'hour', projectId, hour, apiKeyId, policyId, outcome, incarnation, count };
  }
  return null;
}

const isOutcome = (text: string): text is Outcome => OUTCOMES.some((outcome) => outcome === text);

const KEPT_MINUTES = 120;

/**
 * Whether a fact's window ended more than two hours before a minute. Newer facts stay in Redis: each
 * sweep compares them again, in case Postgres has lost its latest commits.
 */
export function isPast(fact: UsageFact, minute: number): fact is CountFact {
  const keptMs = (minute - KEPT_MINUTES) * MS_PER_MINUTE;
  if (fact.kind === 'hour') return fact.hour < WINDOWS.hour.numberAt(keptMs);
  if (fact.kind === 'day') return fact.day < WINDOWS.day.numberAt(keptMs);
  if (fact.kind !== 'month') return false;
  const [, day = CALENDAR_MONTH] = fact.scope.split('@');
  return fact.month < windowOfPeriod(Number(day)).numberAt(keptMs);
}
