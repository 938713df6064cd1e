import type { LimitDenial } from '@ceiba/contract/sets';
import type { LimitScope } from '@ceiba/domain';
import type { RedisClient } from '../redis/client.ts';
import { apiKeyCounterKey, projectCounterKey, usageKey } from '../redis/keys.ts';
import { createScript, readScript, type Script } from '../redis/script.ts';
import type { SeenCounter } from './seen.ts';

export interface ChargeRequest {
  projectId: string;
  apiKeyId: string;
  policyId: string;
  /** Every scope is counted; it is limited where its limit is not null. */
  scopes: readonly LimitScope[];
}

/** How many calls of one month Postgres knows as allowed: one total per scope, in order. */
export interface Seeds {
  month: number;
  totals: readonly number[];
}

export interface ChargeContext {
  /** The Redis key of each scope's counter, in order. */
  counterKeys: readonly string[];
  /** In ms on Redis's clock; after it the script writes nothing. */
  redisDeadlineMs: number;
  /** Random, new for each call. */
  freshId: string;
  seeds: Seeds | null;
  /** The highest counts that this process has seen, per scope, in order. */
  seen: readonly SeenCounter[];
}

export type ChargeReply =
  | { kind: 'late'; timeMs: number }
  | { kind: 'reseed'; timeMs: number; month: number }
  | CountedReply;

/** The charge was judged and counted as usage. */
export interface CountedReply {
  kind: 'allowed' | LimitDenial;
  timeMs: number;
  /** The windows: whole minutes since 1970, and `monthOf`. */
  minute: number;
  month: number;
  incarnation: string;
  /** Each scope's counter after the charge, in order. */
  counters: SeenCounter[];
  /** How often this outcome occurred in this hour; absolute within the incarnation. */
  outcomeCount: number;
  /** Allowed calls of the month per scope, within the incarnation; empty for a denial. */
  monthTotals: number[];
}

export const chargeScriptText = () => readScript('./charge.lua', import.meta.url);

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

/** The name of a scope in the monthly usage. */
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

/** @throws Error where the reply does not have a shape that `charge.lua` returns */
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
      throw new Error('the charge returned an unknown outcome');
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
  new Error(`the charge returned a malformed field ${position}`);
