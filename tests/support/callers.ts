import { randomBytes } from 'node:crypto';
import type { DenialReason } from '@ceiba/contract/sets';
import { mintApiKey } from '@ceiba/domain';
import { QUESTION, type TestApiKey, type TestProject, type World } from './scenario.ts';

/** Who asks, and for what. */
export interface Caller {
  project: TestProject;
  /** The key of the project that is presented. */
  key: TestApiKey | null;
  question: { apiKey: string | null; method: string; path: string };
}

/**
 * A caller per outcome of a decision, which is what every question of it comes to. All belong to
 * the project, except those that its subscription denies; the limits are those of their keys.
 */
export async function callers(
  world: World,
  project: TestProject,
): Promise<Record<DenialReason | 'allowed', Caller>> {
  const caller = (
    key: TestApiKey | null,
    question: Partial<Caller['question']> = {},
    of = project,
  ): Caller => ({
    project: of,
    key,
    question: { ...QUESTION, apiKey: key?.plaintext ?? null, ...question },
  });
  const ended = async (status: 'revoked' | 'archived') => {
    const key = await project.createKey();
    await project.endKey(key.apiKeyId, status);
    return caller(key);
  };
  const lapsed = await world.createProject();
  await lapsed.setSubscription({ status: 'canceled' });
  return {
    allowed: caller(await project.createKey()),
    missing_api_key: caller(null),
    invalid_api_key: caller(null, { apiKey: mintApiKey(randomBytes).plaintext }),
    revoked_api_key: await ended('revoked'),
    archived_api_key: await ended('archived'),
    expired_api_key: caller(await project.createKey({ expiresAt: new Date('2020-01-01') })),
    policy_no_match: caller(await project.createKey(), { path: '/v1/billing' }),
    inactive_subscription: caller(await lapsed.createKey(), {}, lapsed),
    quota_exceeded: caller(await project.createKey({ monthlyQuota: 0 })),
    rate_limited: caller(await project.createKey({ rateLimitPerMinute: 0 })),
  };
}
