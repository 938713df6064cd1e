--[[
The charge: if every limit has room, all counters are charged together; otherwise none is.
Consistency rules 9 to 15; docs/adr/0003-the-charge.md explains the design.

KEYS
  1       the project's usage, a hash
  2..n    one counter each, a string `epoch:lineage:minute:minuteBase:minuteCount:monthBase:monthCount`

ARGV
  1       deadline, in ms on this server's clock
  2       fresh id: the name of a lineage or an incarnation that begins with this charge
  3, 4    apiKeyId, policyId
  5       seed month: the month that the seeds are for; 0 without seeds
  then per counter, in the order of KEYS
  +1      scope, `project` or the key's id
  +2, +3  limit per minute, limit per month; -1 is counted, but not limited
  +4      seed: the calls that Postgres knows as allowed in the seed month
  +5..+8  the last that the caller has seen: lineage, minute, count of that minute and of its month

Minutes and hours are whole ones since 1970; months are year * 12 + month (January is 0), in UTC.

Output
  late, timeMs                     the deadline has passed; nothing was written
  reseed, timeMs, month            a counter needs a seed for this month; nothing was written
  outcome, timeMs, minute, month, incarnation,
    (lineage, minuteCount, monthCount) per counter,
    the usage number of this outcome, and, if allowed, of each scope's month
]]

local COUNTER_TTL_SECONDS = 63 * 86400 -- this month, the next, and a day

-- A whole number that Lua prints without an exponent; nil for anything else, NaN included.
local function whole(text)
  local number = tonumber(text)
  if number and number >= 0 and number < 1e14 and number % 1 == 0 then return number end
end

local function limit(text)
  if text == '-1' then return math.huge end
  return whole(text)
end

-- The month of a minute, and the first minute of that month. Years begin in March here, so that
-- the leap day comes last (https://howardhinnant.github.io/date_algorithms.html#civil_from_days).
local function calendar(minute)
  local days = math.floor(minute / 1440) + 719468
  local era = math.floor(days / 146097)
  local day = days % 146097
  local year = math.floor((day - math.floor(day / 1460) + math.floor(day / 36524)
    - math.floor(day / 146096)) / 365)
  day = day - (365 * year + math.floor(year / 4) - math.floor(year / 100))
  local march = math.floor((5 * day + 2) / 153)
  local first = math.floor((153 * march + 2) / 5)
  return (era * 400 + year) * 12 + march + 2, math.floor(minute / 1440 - day + first) * 1440
end

-- Parses a stored counter; nil where there is none or it does not parse.
local function unpacked(text)
  local epoch, lineage, minute, minuteBase, minuteCount, monthBase, monthCount =
    string.match(text or '', '^(%w+):(%w+):(%d+):(%d+):(%d+):(%d+):(%d+)$')
  if not epoch then return nil end
  local counter = {
    epoch = epoch, lineage = lineage, minute = tonumber(minute),
    minuteBase = tonumber(minuteBase), minuteCount = tonumber(minuteCount),
    monthBase = tonumber(monthBase), monthCount = tonumber(monthCount),
  }
  return whole(counter.minute + counter.minuteBase + counter.minuteCount + counter.monthBase
    + counter.monthCount) and counter
end

local function packed(counter)
  return counter.epoch .. ':' .. counter.lineage .. ':' .. counter.minute
    .. ':' .. counter.minuteBase .. ':' .. counter.minuteCount
    .. ':' .. counter.monthBase .. ':' .. counter.monthCount
end

-- Counts seen in another lineage were made before this lineage began, so they raise its base.
-- Within one lineage the larger count is the newer one.
local function resumed(count, base, seen, sameLineage)
  if sameLineage then return math.max(count, seen), base end
  if seen > base then return count + seen - base, seen end
  return count, base
end

-- Read and validate ------------------------------------------------------------------------------

local deadlineMs, freshId, seedMonth = whole(ARGV[1]), ARGV[2], whole(ARGV[5])
local apiKeyId, policyId = ARGV[3], ARGV[4]
local scopes = {}
for i = 1, #KEYS - 1 do
  local at = 8 * i - 3
  scopes[i] = {
    name = ARGV[at + 1], ratePerMinute = limit(ARGV[at + 2]), quota = limit(ARGV[at + 3]),
    seed = whole(ARGV[at + 4]),
    seen = { lineage = ARGV[at + 5], minute = whole(ARGV[at + 6]),
      minuteCount = whole(ARGV[at + 7]), monthCount = whole(ARGV[at + 8]) },
  }
  local scope, seen = scopes[i], scopes[i].seen
  if not (scope.name and scope.ratePerMinute and scope.quota and scope.seed and seen.minute
    and seen.minuteCount and seen.monthCount) then
    return redis.error_reply('CEIBA malformed argument for counter ' .. i)
  end
end
if not (deadlineMs and seedMonth and #scopes > 0) then
  return redis.error_reply('CEIBA malformed argument')
end

local time = redis.call('TIME')
local timeMs = time[1] * 1000 + math.floor(time[2] / 1000)
if timeMs > deadlineMs then return { 'late', timeMs } end

-- The epoch changes with every event that can restore older numbers: a restart (run_id) and a
-- change of primary (master_replid). js-redis-server reports no run_id, but it keeps no data over a
-- restart: it can only lose counters, and missing counters are noticed.
local info = redis.call('INFO', 'server') .. redis.call('INFO', 'replication')
local function reported(name)
  local at = string.find(info, name, 1, true)
  return at and string.sub(info, at + #name, at + #name + 15) or ''
end
local epoch = 'e' .. reported('\nrun_id:') .. reported('\nmaster_replid:')

local usage = redis.call('HMGET', KEYS[1], 'epoch', 'incarnation', 'minute')
local usageMinute = whole(usage[3])
local counters = redis.call('MGET', unpack(KEYS, 2))

-- Windows never go back (rule 10), and all counters of a charge share them. -------------

local minute = math.max(math.floor(timeMs / 60000), usageMinute or 0)
for i, scope in ipairs(scopes) do
  counters[i] = unpacked(counters[i])
  minute = math.max(minute, scope.seen.minute, counters[i] and counters[i].minute or 0)
end
local month, monthStart = calendar(minute)

-- A counter that is new to its epoch or to its month needs a seed from Postgres.
for i, scope in ipairs(scopes) do
  local counter = counters[i] or { minute = 0 }
  local begins = counter.epoch ~= epoch or counter.minute < monthStart
  if begins and seedMonth ~= month then return { 'reseed', timeMs, month } end

  if counter.minute < minute then counter.minuteCount, counter.minuteBase = 0, 0 end
  if counter.minute < monthStart then counter.monthCount, counter.monthBase = 0, 0 end
  if seedMonth == month then
    local missing = math.max(0, scope.seed - counter.monthCount)
    counter.monthCount, counter.monthBase = counter.monthCount + missing, counter.monthBase + missing
  end
  if begins then
    counter.epoch, counter.lineage = epoch, freshId
    counter.minuteBase, counter.monthBase = counter.minuteCount, counter.monthCount
  end

  local seen, sameLineage = scope.seen, scope.seen.lineage == counter.lineage
  if seen.minute == minute then
    counter.minuteCount, counter.minuteBase =
      resumed(counter.minuteCount, counter.minuteBase, seen.minuteCount, sameLineage)
  end
  if seen.minute >= monthStart then
    counter.monthCount, counter.monthBase =
      resumed(counter.monthCount, counter.monthBase, seen.monthCount, sameLineage)
  end
  counter.minute = minute
  counters[i] = counter
end

-- Judge: the months of all counters first, then the minutes. --------------------------------------------------

local outcome = 'allowed'
for i, scope in ipairs(scopes) do
  if counters[i].monthCount >= scope.quota then outcome = 'quota_exceeded' end
end
for i, scope in ipairs(scopes) do
  if outcome == 'allowed' and counters[i].minuteCount >= scope.ratePerMinute then
    outcome = 'rate_limited'
  end
end
local charged = outcome == 'allowed' and 1 or 0

-- The usage fields of this outcome and their numbers; nil where a number does not parse.
local function usageOf(incarnation)
  local fields = { 'h|' .. incarnation .. '|' .. math.floor(minute / 60)
    .. '|' .. apiKeyId .. '|' .. policyId .. '|' .. outcome }
  for _, scope in ipairs(charged == 1 and scopes or {}) do
    fields[#fields + 1] = 'm|' .. incarnation .. '|' .. month .. '|' .. scope.name
  end
  local numbers = redis.call('HMGET', KEYS[1], unpack(fields))
  for i = 1, #fields do
    numbers[i] = whole(numbers[i] or 0)
    if not numbers[i] then return fields, nil end
  end
  return fields, numbers
end

local incarnation = usage[2]
local fresh = usage[1] ~= epoch or not incarnation or not usageMinute
if fresh then incarnation = freshId end
local fields, numbers = usageOf(incarnation)
if not numbers then
  fresh, incarnation = true, freshId
  fields, numbers = usageOf(incarnation)
end
if not numbers then return redis.error_reply('CEIBA usage fields of a fresh incarnation exist') end

-- Write: no command below can fail (rule 9). -----------------------------------------------

local reply = { outcome, timeMs, minute, month, incarnation }
for i, counter in ipairs(counters) do
  counter.minuteCount = counter.minuteCount + charged
  counter.monthCount = counter.monthCount + charged
  redis.call('SET', KEYS[i + 1], packed(counter), 'EX', COUNTER_TTL_SECONDS)
  reply[#reply + 1] = counter.lineage
  reply[#reply + 1] = counter.minuteCount
  reply[#reply + 1] = counter.monthCount
end

local pairsToSet = {}
local function set(field, value)
  pairsToSet[#pairsToSet + 1] = field
  pairsToSet[#pairsToSet + 1] = value
end
if fresh then
  set('epoch', epoch)
  set('incarnation', incarnation)
end
if usageMinute ~= minute then set('minute', minute) end
for i, field in ipairs(fields) do
  set(field, numbers[i] + 1)
  reply[#reply + 1] = numbers[i] + 1
end
redis.call('HSET', KEYS[1], unpack(pairsToSet))
return reply
