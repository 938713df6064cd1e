--[[
The charge: if every limit has room, all counters are charged together; otherwise none is.
A call carries charges of one project. They are judged one by one, in order, each against the
counters as the charges before it left them.
Rules all-or-nothing, windows-forward, counter-epoch, seen-counts, always-counted, charge-deadline,
absolute-usage and shared-calls of docs/reference/consistency.md; docs/adr/0003-the-charge.md and
0019-charges-share-a-call.md explain the design.

KEYS
  1       the project's usage, a hash
  2..n    one counter each, a string `epoch:lineage:minute:minuteBase:minuteCount:monthBase:monthCount`

ARGV
  1       fresh id: the name of a lineage or an incarnation that begins with this call
  2..n    what the caller knows of the counter at the same place in KEYS:
          `scope seedMonth seed lineage minute minuteCount monthCount`
            scope             `project` or the key's id
            seedMonth, seed   the calls that Postgres knows as allowed in that month; 0 0 without
            lineage and on    the last that the caller has seen of the counter
  n+1..   one charge each: `deadline apiKeyId policyId place:rate:quota place:rate:quota ...`
            deadline          in ms on this server's clock
            place             of a counter in KEYS
            rate, quota       per minute and per month; -1 is counted, but not limited

Minutes and hours are whole ones since 1970; months are year * 12 + month (January is 0), in UTC.

Output
  timeMs, minute, month
  per charge one of
    malformed   the charge or one of its counters does not parse; nothing was charged
    late        its deadline has passed; nothing was charged
    reseed      one of its counters needs a seed for this month; nothing was charged
    outcome, (minuteCount, monthCount) per counter, as the charge left them
  if any charge came to an outcome; otherwise nothing was written
    the lineage of each counter; empty if it was not written
    field, number of each usage field that was raised
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
    string.match(text or '', '^([^:]+):([^: ]+):(%d+):(%d+):(%d+):(%d+):(%d+)$')
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
  return string.format('%s:%s:%d:%d:%d:%d:%d', counter.epoch, counter.lineage, counter.minute,
    counter.minuteBase, counter.minuteCount, counter.monthBase, counter.monthCount)
end

-- Parses what the caller knows of a counter; nil where it does not parse.
local function knownOf(text)
  local scope, seedMonth, seed, lineage, minute, minuteCount, monthCount =
    string.match(text, '^([^ ]+) (%d+) (%d+) ([^ ]+) (%d+) (%d+) (%d+)$')
  if not scope then return nil end
  local known = {
    scope = scope, seedMonth = tonumber(seedMonth), seed = tonumber(seed), lineage = lineage,
    minute = tonumber(minute), minuteCount = tonumber(minuteCount),
    monthCount = tonumber(monthCount),
  }
  return whole(known.seedMonth + known.seed + known.minute + known.minuteCount
    + known.monthCount) and known
end

-- Counts seen in another lineage were made before this lineage began, so they raise its base.
-- Within one lineage the larger count is the newer one.
local function resumed(count, base, seen, sameLineage)
  if sameLineage then return math.max(count, seen), base end
  if seen > base then return count + seen - base, seen end
  return count, base
end

-- Read -------------------------------------------------------------------------------------------

local freshId = ARGV[1]
local time = redis.call('TIME')
local timeMs = time[1] * 1000 + math.floor(time[2] / 1000)

-- The epoch changes with every event that can restore older numbers: a restart (run_id) and a
-- change of primary (master_replid). js-redis-server reports no run_id, but it keeps no data over a
-- restart: it can only lose counters, and missing counters are noticed.
local function reported(section, name)
  local info = redis.call('INFO', section)
  local at = string.find(info, name, 1, true)
  return at and string.sub(info, at + #name, at + #name + 15) or ''
end
local epoch = 'e' .. reported('server', '\nrun_id:') .. reported('replication', '\nmaster_replid:')

local usage = redis.call('HMGET', KEYS[1], 'epoch', 'incarnation', 'minute')
local incarnation, usageMinute = string.match(usage[2] or '', '^%w+$'), whole(usage[3])
local fresh = usage[1] ~= epoch or not incarnation or #incarnation > 64 or not usageMinute
if fresh then incarnation = freshId end

-- Both by place in KEYS. A counter is missing here if the caller's words on it do not parse.
local counters, knowns = {}, {}
local stored = redis.call('MGET', unpack(KEYS, 2))
for place = 2, #KEYS do
  knowns[place] = knownOf(ARGV[place])
  counters[place] = knowns[place] and (unpacked(stored[place - 1]) or { minute = 0 })
end

-- Windows never go back (rule windows-forward), and all counters of a call share them. ------------

local minute = math.max(math.floor(timeMs / 60000), usageMinute or 0)
for place, counter in pairs(counters) do
  minute = math.max(minute, knowns[place].minute, counter.minute)
end
local month, monthStart = calendar(minute)

for place, counter in pairs(counters) do
  local known = knowns[place]
  -- A counter that is new to its epoch or to its month needs a seed from Postgres.
  local begins = counter.epoch ~= epoch or counter.minute < monthStart
  counter.needsSeed = begins and known.seedMonth ~= month

  if counter.minute < minute then counter.minuteCount, counter.minuteBase = 0, 0 end
  if counter.minute < monthStart then counter.monthCount, counter.monthBase = 0, 0 end
  if known.seedMonth == month then
    local missing = math.max(0, known.seed - counter.monthCount)
    counter.monthCount, counter.monthBase = counter.monthCount + missing, counter.monthBase + missing
  end
  if begins then
    counter.epoch, counter.lineage = epoch, freshId
    counter.minuteBase, counter.monthBase = counter.minuteCount, counter.monthCount
  end

  local sameLineage = known.lineage == counter.lineage
  if known.minute == minute then
    counter.minuteCount, counter.minuteBase =
      resumed(counter.minuteCount, counter.minuteBase, known.minuteCount, sameLineage)
  end
  if known.minute >= monthStart then
    counter.monthCount, counter.monthBase =
      resumed(counter.monthCount, counter.monthBase, known.monthCount, sameLineage)
  end
  counter.minute = minute
  counter.monthField = 'm|' .. incarnation .. '|' .. month .. '|' .. known.scope
end

-- Judge ------------------------------------------------------------------------------------------

local hourPrefix = 'h|' .. incarnation .. '|' .. math.floor(minute / 60) .. '|'

-- Parses a charge without its deadline, equal ones once; nil where it does not parse.
local charges = {}
local function chargeOf(text)
  if charges[text] then return charges[text] end
  local apiKeyId, policyId, scopes = string.match(text, '^([^ ]+) ([^ ]+) (%d.*)$')
  if not scopes then return nil end
  local charge = { hourField = hourPrefix .. apiKeyId .. '|' .. policyId .. '|' }
  for scope in string.gmatch(scopes, '[^ ]+') do
    local place, rate, quota = string.match(scope, '^(%d+):(%-?%d+):(%-?%d+)$')
    local counter, ratePerMinute, most = counters[tonumber(place)], limit(rate), limit(quota)
    if not (counter and ratePerMinute and most) then return nil end
    charge[#charge + 1] = { counter = counter, ratePerMinute = ratePerMinute, quota = most }
  end
  charges[text] = charge
  return charge
end

-- Months over all counters, then minutes (rule all-or-nothing).
local function outcomeOf(charge)
  for _, scope in ipairs(charge) do
    if scope.counter.needsSeed then return 'reseed' end
  end
  for _, scope in ipairs(charge) do
    if scope.counter.monthCount >= scope.quota then return 'quota_exceeded' end
  end
  for _, scope in ipairs(charge) do
    if scope.counter.minuteCount >= scope.ratePerMinute then return 'rate_limited' end
  end
  return 'allowed'
end

-- The usage fields that the outcomes touch, in order, and by how much each is raised.
local fields, raises = {}, {}
local function raise(field)
  if not raises[field] then fields[#fields + 1] = field end
  raises[field] = (raises[field] or 0) + 1
end

local reply = { timeMs, minute, month }
local function judge(charge)
  local outcome = outcomeOf(charge)
  reply[#reply + 1] = outcome
  if outcome == 'reseed' then return end
  raise(charge.hourField .. outcome)
  for _, scope in ipairs(charge) do
    local counter = scope.counter
    if outcome == 'allowed' then
      counter.minuteCount, counter.monthCount = counter.minuteCount + 1, counter.monthCount + 1
      raise(counter.monthField)
    end
    counter.isJudged = true
    reply[#reply + 1] = counter.minuteCount
    reply[#reply + 1] = counter.monthCount
  end
end

for i = #KEYS + 1, #ARGV do
  local deadlineMs, text = string.match(ARGV[i], '^(%d+) (.*)$')
  local charge = deadlineMs and chargeOf(text)
  if not charge then
    reply[#reply + 1] = 'malformed'
  elseif timeMs > tonumber(deadlineMs) then
    reply[#reply + 1] = 'late'
  else
    judge(charge)
  end
end
if #fields == 0 then return reply end

-- The numbers of the fields so far; nil where one does not parse.
local function numbersOf()
  local numbers = redis.call('HMGET', KEYS[1], unpack(fields))
  for i = 1, #fields do
    numbers[i] = whole(numbers[i] or 0)
    if not numbers[i] then return nil end
  end
  return numbers
end

local numbers = numbersOf()
if not numbers then
  fresh, incarnation = true, freshId
  for i, field in ipairs(fields) do
    fields[i] = string.gsub(field, '|%w+', '|' .. incarnation, 1)
    raises[fields[i]] = raises[field]
  end
  numbers = numbersOf()
end
if not numbers then return redis.error_reply('CEIBA usage fields of a fresh incarnation exist') end

-- Write: no command below can fail (rule all-or-nothing). -----------------------------------------

for place = 2, #KEYS do
  local counter = counters[place]
  local isWritten = counter and counter.isJudged
  if isWritten then redis.call('SET', KEYS[place], packed(counter), 'EX', COUNTER_TTL_SECONDS) end
  reply[#reply + 1] = isWritten and counter.lineage or ''
end

local raised = {}
for i, field in ipairs(fields) do
  raised[2 * i - 1], raised[2 * i] = field, numbers[i] + raises[field]
  reply[#reply + 1] = field
  reply[#reply + 1] = numbers[i] + raises[field]
end
redis.call('HSET', KEYS[1], unpack(raised))
if fresh then redis.call('HSET', KEYS[1], 'epoch', epoch, 'incarnation', incarnation) end
if usageMinute ~= minute then redis.call('HSET', KEYS[1], 'minute', minute) end
return reply
