import type { ChargeRequest } from '@ceiba/domain';
import type { RedisClient } from '@ceiba/process/redis';
import { usageKey } from '../redis/keys.ts';
import { createScript, readScript, type Script } from '../redis/script.ts';
import { CallArguments } from './charge-arguments.ts';
import { parseReply } from './charge-reply.ts';

/** What Postgres knows as allowed in one period of a scope. */
export interface Seed {
  /** The period's number. */
  period: number;
  total: number;
}

export interface CarriedCharge {
  request: ChargeRequest;
  /** Ms on Redis's clock; past it the script charges nothing. */
  redisDeadlineMs: number;
  /** One per scope, in order. */
  seeds: readonly Seed[] | null;
}

/** One run of the script. */
export interface ChargeCall {
  projectId: string;
  /** Of this project, in the order in which they are judged. */
  charges: readonly CarriedCharge[];
  /** Random, new for each call; letters and digits only. */
  freshId: string;
  /** A counter as this process has last seen it. */
  seenOf: (counterKey: string) => string | undefined;
}

/** What became of one charge. Only a counted one has changed anything. */
export type ChargeReply =
  | { kind: 'malformed' }
  | { kind: 'late' }
  | { kind: 'reseed'; minute: number }
  | CountedReply;

/** The charge was judged, and counted as usage. */
export interface CountedReply {
  kind: CountedOutcome;
  timeMs: number;
  /** The running window, in whole minutes since 1970. */
  minute: number;
  /** Each scope's counter after the charge, in order. */
  counters: readonly Counts[];
}

/** In the order in which the script lists their usage. */
export const COUNTED_OUTCOMES = ['allowed', 'quota_exceeded', 'rate_limited'] as const;
export type CountedOutcome = (typeof COUNTED_OUTCOMES)[number];

/** Calls of the running minute, and what was used of the running period. */
export interface Counts {
  minuteCount: number;
  periodCount: number;
}

export interface CallReply {
  timeMs: number;
  /** One per charge, in order. */
  charges: readonly ChargeReply[];
  /** The counters that were written, in the form in which Redis keeps them. */
  counters: readonly { key: string; seen: string }[];
  /** The fields of the usage hash that were raised, and their numbers. */
  usage: readonly { field: string; count: number }[];
}

/** The counters, and what judges them: Redis has no include. */
export const chargeScriptText = () =>
  ['./counters.lua', './charge.lua'].map((path) => readScript(path, import.meta.url)).join('\n');

/** `charge.lua` as the limiter runs it. */
export const createChargeScript = () => createScript(chargeScriptText());

/** @throws Error where the reply is not one that `charge.lua` gives */
export async function runCharges(
  script: Script,
  client: RedisClient,
  { projectId, charges, freshId, seenOf }: ChargeCall,
): Promise<CallReply> {
  const call = new CallArguments(seenOf);
  for (const charge of charges) call.add(charge);
  const keys = [usageKey(projectId), ...call.counters.map(({ key }) => key)];
  const args = [freshId, call.countersText(), call.chargesText()];
  return parseReply(await script.run(client, keys, args), call);
}
