import { type ApiKeySummary, ERROR_MESSAGES } from '@ceiba/contract';
import { mintApiKey, type RandomBytes } from '@ceiba/domain';
import type { FullPlan, TransitionResult } from '@ceiba/schema';
import { TransportError } from '../errors.ts';
import type { ProjectCall } from './project-routes.ts';

/* What the routes of keys have in common. */

/** Makes the secrets of keys. */
export const mintFrom = (random: RandomBytes) => (brand: string) => mintApiKey(random, brand);

export const keyOf = ({ projectId, id }: ProjectCall) => ({ projectId, apiKeyId: id });

export const fullPlan = (full: FullPlan) =>
  new TransportError('plan_limit_reached', ERROR_MESSAGES.plan_limit_reached(full));

/** @param rule what a conflict breaks, as the beginning of the message */
export function keyOrThrow(result: TransitionResult, rule: string): ApiKeySummary {
  switch (result.kind) {
    case 'not_found':
      throw noKey();
    case 'conflict':
      throw new TransportError('conflict', ERROR_MESSAGES.conflict(rule, result.status));
    case 'updated':
    case 'unchanged':
      return result.apiKey;
  }
}

export const noKey = () => new TransportError('not_found', ERROR_MESSAGES.not_found);
