import type { DataServer } from './client.ts';

/** Each command that a charge runs; the last one leaves nothing that lasts. */
const COMMANDS = `
redis.call('TIME')
redis.call('INFO', 'server')
redis.call('HMGET', KEYS[1], 'at')
redis.call('MGET', KEYS[2])
redis.call('SET', KEYS[2], '-', 'EX', 60)
redis.call('HSET', KEYS[1], 'at', 0)
return redis.call('HDEL', KEYS[1], 'at')`;

/**
 * Runs on one server, in one script, what a charge runs, for a project that does not exist: a full
 * server, or a user that may only read, answers PING and TIME.
 *
 * @throws what a charge would fail with
 */
export async function rehearseCharge({ connection, hashTag }: DataServer): Promise<void> {
  const tag = `ceiba:{${hashTag()}}`;
  await connection().eval(COMMANDS, 2, `${tag}:rehearsal`, `${tag}:counter:project`);
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
