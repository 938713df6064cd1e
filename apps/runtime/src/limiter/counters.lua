--[[
The counters of a call, of one project: reads them, brings them into the running windows, and writes
them together with the usage that they caused. A script that judges is read as its second half.
Rules windows-forward, counter-epoch, seen-counts, absolute-usage and counter-period of
docs/reference/consistency.md; docs/adr/0003-the-charge.md and
0058-a-counter-has-a-period-and-a-call-a-cost.md explain the design.

KEYS
  1       the project's usage, a hash
  2..n    one counter each, a string `epoch:lineage:minute:minuteBase:minuteCount:periodBase:periodCount`

ARGV
  1       fresh id: the name of a lineage or an incarnation that begins with this call
  2       JSON, a list of five for each counter, in the order of KEYS:
            scope             `project` or an id, the name of what the counter counts for
            period            1 to 28: a month that begins on that day of the month; 0: a day
            seen              the counter as the caller last saw it; empty if it has not
            seedPeriod, seed  what Postgres knows as allowed in the period of that number; 0, 0 without
  3       of the second half

Minutes, hours and days are whole ones since 1970, in UTC. A month has the number year * 12 + month
(January is 0) of the day that it begins on.
]]

local COUNTER_TTL_SECONDS = '5443200' -- 63 days: this month, the next, and a day

-- A whole number that Lua prints without an exponent; nil for anything else, NaN included.
local function whole(value)
  local number = tonumber(value)
  if number and number >= 0 and number < 1e14 and number % 1 == 0 then return number end
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

-- The parts of a counter; nil where the text is none.
local function parsed(text)
  local epoch, lineage, minute, minuteBase, minuteCount, periodBase, periodCount =
    string.match(text, '^([^:]+):([^:]+):(%d+):(%d+):(%d+):(%d+):(%d+)$')
  if not epoch then return nil end
  minute, minuteBase, minuteCount = minute + 0, minuteBase + 0, minuteCount + 0
  periodBase, periodCount = periodBase + 0, periodCount + 0
  if minute + minuteBase + minuteCount + periodBase + periodCount >= 1e14 then return nil end
  return epoch, lineage, minute, minuteBase, minuteCount, periodBase, periodCount
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
local knowns = cjson.decode(ARGV[2])
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

-- Lists by counter: a table for each costs more than all of its arithmetic.
local epochs, lineages, minutes = {}, {}, {}
local minuteBases, minuteCounts, periodBases, periodCounts = {}, {}, {}, {}
-- What was seen of a counter, where that is not what is stored: nothing was lost otherwise.
local seens = {}
-- Why a counter cannot be charged: `malformed` or `reseed`.
local faults = {}

-- Windows never go back (rule windows-forward), and all counters of a call share them.
local minute = math.max(math.floor(timeMs / 60000), usageMinute or 0)
local stored = redis.call('MGET', unpack(KEYS, 2))
for i = 1, #stored do
  local seen = knowns[5 * i - 2]
  epochs[i], lineages[i], minutes[i],
    minuteBases[i], minuteCounts[i], periodBases[i], periodCounts[i] = parsed(stored[i] or '')
  if not minutes[i] then minutes[i] = 0 end
  if minutes[i] > minute then minute = minutes[i] end
  if seen ~= stored[i] and seen ~= '' then
    local of, lineage, ofMinute, _, minuteCount, _, periodCount = parsed(seen)
    seens[i] = {
      lineage = lineage, minute = ofMinute, minuteCount = minuteCount, periodCount = periodCount,
    }
    if of then minute = math.max(minute, ofMinute) else faults[i] = 'malformed' end
  end
end

-- Bring into the windows ---------------------------------------------------------------------------

-- The number and the first minute of a running period, and how its usage is named; nil where there
-- is no such period (rule counter-period).
local periods = {}
local function periodOf(day)
  if not periods[day] and whole(day) and day <= 28 then
    local number, start, kind = math.floor(minute / 1440), math.floor(minute / 1440) * 1440, 'd'
    if day > 0 then
      number, start = calendar(minute - (day - 1) * 1440)
      start, kind = start + (day - 1) * 1440, 'm'
    end
    periods[day] = { number = number, start = start, kind = kind }
  end
  return periods[day]
end

local function bring(i, period, seedPeriod, seed)
  if seedPeriod ~= 0 and not (whole(seedPeriod) and whole(seed)) then return 'malformed' end
  -- A counter that is new to its epoch or to its period needs a seed from Postgres.
  local begins = epochs[i] ~= epoch or minutes[i] < period.start
  if begins and seedPeriod ~= period.number then return 'reseed' end

  local minuteCount, minuteBase, periodCount, periodBase = 0, 0, 0, 0
  if minutes[i] == minute then minuteCount, minuteBase = minuteCounts[i], minuteBases[i] end
  if minutes[i] >= period.start then periodCount, periodBase = periodCounts[i], periodBases[i] end
  if seedPeriod == period.number then
    local missing = math.max(0, seed - periodCount)
    periodCount, periodBase = periodCount + missing, periodBase + missing
  end
  if begins then
    lineages[i], minuteBase, periodBase = freshId, minuteCount, periodCount
  end
  local seen = seens[i]
  if seen and seen.minute == minute then
    minuteCount, minuteBase =
      resumed(minuteCount, minuteBase, seen.minuteCount, seen.lineage == lineages[i])
  end
  if seen and seen.minute >= period.start then
    periodCount, periodBase =
      resumed(periodCount, periodBase, seen.periodCount, seen.lineage == lineages[i])
  end
  minuteCounts[i], minuteBases[i], periodCounts[i], periodBases[i] =
    minuteCount, minuteBase, periodCount, periodBase
end

for i = 1, #stored do
  local seedPeriod = knowns[5 * i - 1]
  local period = periodOf(knowns[5 * i - 3])
  if not period then
    faults[i] = 'malformed'
  elseif minutes[i] < minute or epochs[i] ~= epoch or seens[i] or seedPeriod ~= 0 then
    faults[i] = faults[i] or bring(i, period, seedPeriod, knowns[5 * i])
  end
end

-- Write --------------------------------------------------------------------------------------------

-- Counters that were judged, by how much their usage rises, and the usage fields that the call
-- raises, in order.
local isJudged, fields, raises = {}, {}, {}
local function raise(field, by)
  local last = #fields + 1
  fields[last], raises[last] = field, by
end

local function raisePeriod(i, cost)
  local period = periodOf(knowns[5 * i - 3])
  local name = incarnation .. '|' .. period.number .. '|' .. knowns[5 * i - 4]
  raise(period.kind .. '|' .. name, cost)
end

-- The numbers of the fields so far; nil where one does not parse.
local function numbersOf()
  local numbers = redis.call('HMGET', KEYS[1], unpack(fields))
  for i = 1, #fields do
    numbers[i] = whole(numbers[i] or 0)
    if not numbers[i] then return nil end
  end
  return numbers
end

-- Writes the counters that were judged and the fields that were raised. Nothing can fail after the
-- first write (rule all-or-nothing).
local function write()
  local numbers = numbersOf()
  if not numbers then
    fresh, incarnation = true, freshId
    for i = 1, #fields do fields[i] = string.gsub(fields[i], '|%w+', '|' .. freshId, 1) end
    numbers = numbersOf()
  end
  if not numbers then return 'CEIBA usage fields of a fresh incarnation exist' end

  for i = 1, #stored do
    if isJudged[i] then
      -- Not %d, which is 32 bits wide where js-redis-server runs.
      stored[i] = string.format('%s:%s:%.0f:%.0f:%.0f:%.0f:%.0f', epoch, lineages[i], minute,
        minuteBases[i], minuteCounts[i], periodBases[i], periodCounts[i])
      redis.call('SET', KEYS[i + 1], stored[i], 'EX', COUNTER_TTL_SECONDS)
    end
  end
  local pairsOfHash = {}
  for i = 1, #fields do
    numbers[i] = numbers[i] + raises[i]
    pairsOfHash[2 * i - 1], pairsOfHash[2 * i] = fields[i], numbers[i]
  end
  redis.call('HSET', KEYS[1], unpack(pairsOfHash))
  if fresh then redis.call('HSET', KEYS[1], 'epoch', epoch, 'incarnation', incarnation) end
  if usageMinute ~= minute then redis.call('HSET', KEYS[1], 'minute', minute) end
  return nil, numbers
end
