import type { RedisClient } from './client.ts';

/** No project has this id. Both keys are in one slot of a cluster, as those of a charge are. */
const KEYS = ['rehearsal', 'counter:project'].map(
  (name) => `ceiba:{00000000-0000-0000-0000-000000000000}:${name}`,
);

/** Each command that a charge runs. */
const COMMANDS = `
redis.call('TIME')
redis.call('INFO', 'server')
redis.call('HMGET', KEYS[1], 'at')
redis.call('MGET', KEYS[2])
redis.call('SET', KEYS[2], '-', 'EX', 60)
return redis.call('HSET', KEYS[1], 'at', 0)`;

/**
 * Runs in one script what a charge runs, for a project that does not exist: a full server, or a user
 * that may only read, answers PING and TIME.
 *
 * @throws what a charge would fail with
 */
export async function rehearseCharge(client: RedisClient): Promise<void> {
  await client.eval(COMMANDS, KEYS.length, ...KEYS);
}

/** What to change, by Redis's answer. */
const TO_CHANGE: readonly (readonly [RegExp, string])[] = [
  [/^OOM\b/, 'the memory of Redis is full: raise maxmemory'],
  // Redis 7.0 and 7.2 have words of their own for a command that a script may not run.
  [/^NOPERM\b|user executing the script|ACL failure/, 'the user of REDIS_URL lacks a permission'],
  [/^MISCONF\b/, 'Redis refuses to write because it cannot save its data: see its log'],
];
/** Answers of a server that starts, follows another, runs another's script, or gives a slot away. */
const OUTAGE = /^(READONLY|LOADING|BUSY|MASTERDOWN|NOAUTH|CLUSTERDOWN|MOVED|ASK|TRYAGAIN)\b/;

/** What to change, where Redis answered that it will not charge; null for an outage. */
export function whatToChangeInRedis(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if (error.name !== 'ReplyError') return whatToChangeInRedis(error.cause);
  const { message } = error;
  if (OUTAGE.test(message)) return null;
  const known = TO_CHANGE.find(([answer]) => answer.test(message));
  return `${known?.[1] ?? 'Redis refuses what a charge runs'} (${message})`;
}
