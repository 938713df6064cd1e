--[[
Removes what Postgres has confirmed of a project's usage, unless it has changed since.
Consistency rule 18; docs/adr/0004-usage-as-absolute-numbers.md.

KEYS
  1     the project's usage, a hash

ARGV
  1     the minute by which the caller judged what is past, in whole minutes since 1970
  2...  pairs of a field that is past and the number that Postgres has for it

Output
  the number of fields removed

A number that was removed would start again at one. So whatever is removed, the windows are brought
to the caller's minute: they never go back, and no charge counts in the past again.
]]

local judgedBy = tonumber(ARGV[1])
local stored = tonumber(redis.call('HGET', KEYS[1], 'minute'))
if not judgedBy or not stored then return 0 end

-- To the caller's minute and no further: this clock may have leapt ahead since (rule 33).
if math.max(stored, redis.call('TIME')[1] / 60) < judgedBy then return 0 end

-- The removal comes first: where memory is full, a script may go on writing after a first write
-- that takes no memory (https://redis.io/docs/latest/commands/eval/).
local removed = 0
for i = 2, #ARGV - 1, 2 do
  if redis.call('HGET', KEYS[1], ARGV[i]) == ARGV[i + 1] then
    removed = removed + redis.call('HDEL', KEYS[1], ARGV[i])
  end
end
if removed > 0 and judgedBy > stored then redis.call('HSET', KEYS[1], 'minute', judgedBy) end
return removed
