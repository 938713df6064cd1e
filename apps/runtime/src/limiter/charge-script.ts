import type { LimitScope } from '@ceiba/domain';
import type { RedisClient } from '../redis/client.ts';
import { apiKeyCounterKey, projectCounterKey, usageKey } from '../redis/keys.ts';
import { createScript, readScript, type Script } from '../redis/script.ts';
import type { SeenCounter } from './seen.ts';

export interface ChargeRequest {
  projectId: string;
  apiKeyId: string;
  policyId: string;
  /** What the charge counts; every scope is counted, and limited where its limit is not null. */
  scopes: readonly LimitScope[];
}

/** What Postgres knows of one month's admissions; a total for each scope, in order. */
export interface Seeds {
  month: number;
  totals: readonly number[];
}

export interface ChargeContext {
  /** The key of each scope's counter, in order. */
  counterKeys: readonly string[];
  /** Ms on Redis's clock; past it the script writes nothing. */
  redisDeadlineMs: number;
  /** Random, new for each call. */
  freshId: string;
  seeds: Seeds | null;
  /** What this process has seen of each scope's counter, in order. */
  seen: readonly SeenCounter[];
}

export type ChargeReply =
  | { kind: 'late'; timeMs: number }
  | { kind: 'reseed'; timeMs: number; month: number }
  | CountedReply;

/** The charge was judged, and counted as usage. */
export interface CountedReply {
  kind: 'allowed' | 'quota_exceeded' | 'rate_limited';
  timeMs: number;
  /** The windows: whole minutes since 1970, and year × 12 + month. */
  minute: number;
  month: number;
  incarnation: string;
  /** Each scope's counter after the charge, in order. */
  counters: SeenCounter[];
  /** How often this outcome has come up in this hour; absolute within the incarnation. */
  outcomeCount: number;
  /** Each scope's admissions of the month within the incarnation; empty where none was admitted. */
  monthTotals: number[];
}

export const chargeScriptText = () => readScript('./charge.lua', import.meta.url);

/** `charge.lua` as the limiter runs it. */
export const createChargeScript = () => createScript(chargeScriptText());

export async function runCharge(
  script: Script,
  client: RedisClient,
  request: ChargeRequest,
  context: ChargeContext,
): Promise<ChargeReply> {
  const { projectId, apiKeyId, policyId, scopes } = request;
  const keys = [usageKey(projectId), ...context.counterKeys];
  const args = [
    Math.floor(context.redisDeadlineMs),
    context.freshId,
    apiKeyId,
    policyId,
    context.seeds?.month ?? 0,
    ...scopes.flatMap((scope, index) => counterArguments(scope, index, context)),
  ];
  return parseReply(await script.run(client, keys, args), scopes.length);
}

export const counterKeyOf = (projectId: string, { kind, id }: LimitScope) =>
  kind === 'project' ? projectCounterKey(projectId) : apiKeyCounterKey(projectId, id);

/** What a scope's admissions are called in the usage of a month. */
export const monthScopeOf = ({ kind, id }: LimitScope) => (kind === 'project' ? 'project' : id);

function counterArguments(scope: LimitScope, index: number, { seeds, seen }: ChargeContext) {
  const last = seen[index];
  return [
    monthScopeOf(scope),
    scope.rateLimitPerMinute ?? -1,
    scope.monthlyQuota ?? -1,
    seeds?.totals[index] ?? 0,
    last?.lineage ?? '-',
    last?.minute ?? 0,
    last?.minuteCount ?? 0,
    last?.monthCount ?? 0,
  ];
}

/** @throws Error where the reply is not one that `charge.lua` gives */
function parseReply(raw: unknown, scopeCount: number): ChargeReply {
  const fields = new ReplyReader(raw);
  const kind = fields.word();
  const timeMs = fields.count();
  switch (kind) {
    case 'late':
      return { kind, timeMs };
    case 'reseed':
      return { kind, timeMs, month: fields.count() };
    case 'allowed':
    case 'quota_exceeded':
    case 'rate_limited': {
      const windows = { minute: fields.count(), month: fields.count() };
      const incarnation = fields.word();
      const counters = Array.from({ length: scopeCount }, () => ({
        lineage: fields.word(),
        minute: windows.minute,
        minuteCount: fields.count(),
        monthCount: fields.count(),
      }));
      const outcomeCount = fields.count();
      const monthTotals =
        kind === 'allowed' ? Array.from({ length: scopeCount }, () => fields.count()) : [];
      return { kind, timeMs, ...windows, incarnation, counters, outcomeCount, monthTotals };
    }
    default:
      throw new Error('the charge was answered with an unknown outcome');
  }
}

class ReplyReader {
  readonly #fields: readonly unknown[];
  #next = 0;

  constructor(raw: unknown) {
    this.#fields = Array.isArray(raw) ? raw : [];
  }

  word(): string {
    const field = this.#fields[this.#next++];
    if (typeof field !== 'string' || field === '') throw malformed(this.#next);
    return field;
  }

  count(): number {
    const field = this.#fields[this.#next++];
    if (typeof field !== 'number' || !Number.isSafeInteger(field) || field < 0) {
      throw malformed(this.#next);
    }
    return field;
  }
}

const malformed = (position: number) =>
  new Error(`the charge was answered with a malformed field ${position}`);
