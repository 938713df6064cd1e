import { isDeepStrictEqual } from 'node:util';
import type { Redis } from 'ioredis';
import type { RedisState, ScriptReply } from '../../support/script-reference.ts';
import type { ScriptCall, ScriptStep } from './script-histories.ts';

/** The two scripts, of which one may be a mutant. */
export type ScriptTexts = Readonly<Record<ScriptCall['script'], string>>;

const COUNTER_TTL_SECONDS = 63 * 86_400;

/**
 * The shipped script, with a clock and server facts that the test controls, and a reply that contains
 * all resulting data. It catches its own errors.
 */
export function withGivenFacts(text: string): string {
  const [shebang = ''] = /^#!.*\n/.exec(text) ?? [];
  return `${shebang}local redisHere, given = redis, ARGV
local timeMs, info = tonumber(given[1]), { server = given[2], replication = given[3] }
local ARGV = { unpack(given, 4) }
local redis = {
  error_reply = function(text) return { err = text } end,
  call = function(name, ...)
    if name == 'TIME' then
      return { tostring(math.floor(timeMs / 1000)), tostring(timeMs % 1000 * 1000 + timeMs % 2 * 999) }
    end
    if name == 'INFO' then
      local text = ''
      for _, section in ipairs({ ... }) do text = text .. (info[section] or '') end
      return text
    end
    return redisHere.call(name, ...)
  end,
}
local function script()
${text.slice(shebang.length)}
end
local isWhole, reply = pcall(script)
if not isWhole then reply = { err = type(reply) == 'table' and reply.err or tostring(reply) } end
if type(reply) == 'table' and reply.err then reply = 'error ' .. reply.err end
local left = {}
for i, key in ipairs(KEYS) do
  local held = redisHere.call('TYPE', key).ok
  local value = ''
  if held == 'string' then value = redisHere.call('GET', key) end
  if held == 'hash' then value = redisHere.call('HGETALL', key) end
  left[i] = { held, value, redisHere.call('TTL', key) }
end
return { reply, left }
`;
}

export interface ScriptJudge {
  /** @returns the first difference between the scripts and the reference */
  difference(texts: ScriptTexts, history: readonly ScriptStep[]): Promise<string | null>;
}

export function createScriptJudge(redis: Redis): ScriptJudge {
  const digests = new Map<string, Promise<string>>();
  const digestOf = (text: string) => {
    const known = digests.get(text);
    if (known) return known;
    const loading = redis.script('LOAD', withGivenFacts(text)) as Promise<string>;
    digests.set(text, loading);
    return loading;
  };
  return {
    async difference(texts, history) {
      const loaded = await Promise.all([digestOf(texts.charge), digestOf(texts.trim)]).catch(
        (error: Error) => error,
      );
      if (loaded instanceof Error) return `it does not compile: ${loaded.message}`;
      const [charge, trim] = loaded;
      const pipeline = redis.pipeline().flushall();
      const places: number[] = [];
      for (const step of history) {
        places.push(pipeline.length);
        if (step.kind === 'put') {
          pipeline.flushall();
          for (const command of commandsOf(step.state)) pipeline.call(...command);
        } else {
          const { keys, args, facts } = step;
          const digest = step.script === 'charge' ? charge : trim;
          const { server, replication } = facts.info;
          const given = [facts.timeMs, server, replication, ...args];
          pipeline.evalsha(digest, keys.length, ...keys, ...given);
        }
      }
      const replies = (await pipeline.exec()) ?? [];
      for (const [index, step] of history.entries()) {
        if (step.kind === 'put') continue;
        const [error, got] = replies[places[index] ?? 0] ?? [];
        const problem = error ? `raised ${error.message}` : differenceOf(step, got);
        if (problem !== null)
          return `step ${index}, ${step.script} ${step.args.join(' ')}: ${problem}`;
      }
      return null;
    },
  };
}

function commandsOf({ strings, hashes }: RedisState): [string, ...string[]][] {
  const commands: [string, ...string[]][] = [];
  for (const [key, text] of strings) {
    commands.push(text === null ? ['RPUSH', key, 'x'] : ['SET', key, text]);
  }
  for (const [key, hash] of hashes) {
    commands.push(hash ? ['HSET', key, ...[...hash].flat()] : ['SET', key, 'x']);
  }
  return commands;
}

type Left = [type: string, value: string | string[], ttlSeconds: number];

function differenceOf({ keys, args, script, expected }: ScriptCall, got: unknown): string | null {
  const [reply, left] = got as [unknown, Left[]];
  if (!isSameReply(expected.reply, reply)) {
    return `replied ${JSON.stringify(reply)} instead of ${JSON.stringify(expected.reply)}`;
  }
  const written = script === 'charge' ? writtenIn(expected.reply, args) : [];
  for (const [index, key] of keys.entries()) {
    const [type = '', value = '', ttlSeconds = 0] = left[index] ?? [];
    const wanted = heldAt(expected.state, key);
    const held = { type, value: type === 'hash' ? sortedPairs(value) : value };
    if (!isDeepStrictEqual(held, wanted)) {
      return `left ${key} as ${JSON.stringify(held)} instead of ${JSON.stringify(wanted)}`;
    }
    const lasts = Math.abs(ttlSeconds - COUNTER_TTL_SECONDS) <= 1;
    if (written[index - 1] && !lasts) return `left ${key} for ${ttlSeconds} s`;
  }
  return null;
}

/** What a charge replies of each counter that it wrote; empty for one that it did not. */
function writtenIn(reply: ScriptReply, [, , asked = '']: readonly string[]): readonly unknown[] {
  if (!Array.isArray(reply)) return [];
  const [, deadlinesAndKinds] = JSON.parse(asked) as [unknown, number[]];
  const counters = reply.slice(2 + deadlinesAndKinds.length / 2 + 1);
  return counters.filter((_, index) => index % 3 === 0);
}

/** Errors are equal if they begin the same: Redis appends the line of the script. */
function isSameReply(expected: ScriptReply, reply: unknown): boolean {
  if (typeof expected === 'object' && 'error' in expected) {
    return (
      typeof reply === 'string' && reply.startsWith('error ') && reply.includes(expected.error)
    );
  }
  return isDeepStrictEqual(reply, expected);
}

function heldAt({ strings, hashes }: RedisState, key: string) {
  const text = strings.get(key);
  const hash = hashes.get(key);
  if (text === null) return { type: 'list', value: '' };
  if (hash === null) return { type: 'string', value: 'x' };
  if (hash) return { type: 'hash', value: sortedPairs([...hash].flat()) };
  return text === undefined ? { type: 'none', value: '' } : { type: 'string', value: text };
}

function sortedPairs(flat: string | readonly string[]): string[] {
  const pairs: string[] = [];
  for (let at = 0; at + 1 < flat.length; at += 2) pairs.push(`${flat[at]} ${flat[at + 1]}`);
  return pairs.sort();
}
