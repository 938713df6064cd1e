--[[
Removes usage fields that Postgres has confirmed, unless they have changed since.
Rule adopted-usage; docs/adr/0004-usage-as-absolute-numbers.md.

KEYS
  1     the project's usage, a hash

ARGV
  1     the minute for which the caller judged which fields are past, in minutes since 1970
  2...  pairs: a field that is past, and the number that Postgres has for it

Output
  the number of fields removed

A removed number would start again at 1. So a removal advances the windows to the caller's minute:
windows never go back, so no later charge counts in a window that was removed.
]]

local judgedBy = tonumber(ARGV[1])
local stored = tonumber(redis.call('HGET', KEYS[1], 'minute'))
if not judgedBy or not stored then return 0 end

-- Not beyond the caller's minute: this server's clock may be far ahead (rule clock-leap).
if math.max(stored, redis.call('TIME')[1] / 60) < judgedBy then return 0 end

-- Remove first: where memory is full, a script may go on writing after a first write that takes
-- no memory (https://redis.io/docs/latest/commands/eval/).
local removed = 0
for i = 2, #ARGV - 1, 2 do
  if redis.call('HGET', KEYS[1], ARGV[i]) == ARGV[i + 1] then
    removed = removed + redis.call('HDEL', KEYS[1], ARGV[i])
  end
end
if removed > 0 and judgedBy > stored then redis.call('HSET', KEYS[1], 'minute', judgedBy) end
return removed
