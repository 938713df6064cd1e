import type { RedisClient } from '@ceiba/process/redis';
import { usageKey } from '../redis/keys.ts';
import { createScript, readScript, type Script } from '../redis/script.ts';
import { CallArguments, type ChargeCall } from './charge-arguments.ts';
import { type CallReply, parseReply } from './charge-reply.ts';

/** Redis has no include. */
export const CHARGE_FILES = ['calendar.lua', 'counters.lua', 'charge.lua'] as const;

export const chargeScriptText = () =>
  CHARGE_FILES.map((name) => readScript(`./${name}`, import.meta.url)).join('\n');

/** The charge as the limiter runs it. */
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
