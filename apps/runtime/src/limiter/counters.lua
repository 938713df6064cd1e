--[[
The counters of a call, of one project: read, brought into the running windows, and written together
with the usage that they caused. charge.lua, which judges, is read after it.
Rules windows-forward, counter-epoch, counter-period, seen-counts and absolute-usage of
docs/reference/consistency.md; ADR 0003 and 0058.

KEYS
  1       the project's usage, a hash
  2..n    a counter each, `epoch:lineage:minute:minuteBase:minuteCount:periodBase:periodCount`

ARGV
  1       fresh id: names a lineage or an incarnation that begins with this call
  2       JSON, five for each counter:
            scope             `project` or an id, its name in the usage
            period            1 to 28: a month from that day on; 0: a day
            seen              the counter as the caller last saw it, or empty
            seedPeriod, seed  what Postgres has for the period of that number; 0, 0 without
]]

local COUNTER_TTL_SECONDS = '5443200' -- 63 days: this month, the next, and a day

-- A whole number that Lua prints without an exponent; nil for anything else.
local function whole(value)
  local number = tonumber(value)
  if number and number >= 0 and number < 1e14 and number % 1 == 0 then return number end
end

-- The parts of a counter, or nil.
local function parsed(text)
  local epoch, lineage, minute, minuteBase, minuteCount, periodBase, periodCount =
    string.match(text, '^(%w+):(%w+):(%d+):(%d+):(%d+):(%d+):(%d+)$')
  if not epoch then return nil end
  minute, minuteBase, minuteCount = minute + 0, minuteBase + 0, minuteCount + 0
  periodBase, periodCount = periodBase + 0, periodCount + 0
  if minute + minuteBase + minuteCount + periodBase + periodCount >= 1e14 then return nil end
  return epoch, lineage, minute, minuteBase, minuteCount, periodBase, periodCount
end

-- Read -------------------------------------------------------------------------------------------

local freshId = ARGV[1]
local knowns = cjson.decode(ARGV[2])
local time = redis.call('TIME')
local timeMs = time[1] * 1000 + math.floor(time[2] / 1000)

-- The epoch changes with whatever can restore older numbers: a restart (run_id; js-redis-server has
-- none, nor data that survives one) and a change of primary (master_replid).
local function reported(section, name)
  local info = redis.call('INFO', section)
  local at = string.find(info, name, 1, true)
  return at and string.match(string.sub(info, at + #name, at + #name + 15), '^%w*') or ''
end
local epoch = 'e' .. reported('server', '\nrun_id:') .. reported('replication', '\nmaster_replid:')

local usage = redis.call('HMGET', KEYS[1], 'epoch', 'incarnation', 'minute')
local incarnation, usageMinute = string.match(usage[2] or '', '^%w+$'), whole(usage[3])
local isFresh = usage[1] ~= epoch or not incarnation or #incarnation > 64 or not usageMinute
if isFresh then incarnation = freshId end

-- Lists by counter: a table for each would cost more.
local epochs, lineages, minutes = {}, {}, {}
local minuteBases, minuteCounts, periodBases, periodCounts = {}, {}, {}, {}
-- What was seen, where it is not what is stored.
local seens = {}
-- Why a counter cannot be charged: `malformed` or `reseed`.
local faults = {}

-- Windows never go back, and all counters of a call share them.
local minute = math.max(math.floor(timeMs / 60000), usageMinute or 0)
local stored = redis.call('MGET', unpack(KEYS, 2))
for i = 1, #stored do
  epochs[i], lineages[i], minutes[i],
    minuteBases[i], minuteCounts[i], periodBases[i], periodCounts[i] = parsed(stored[i] or '')
  minutes[i] = minutes[i] or 0
  local seen = knowns[5 * i - 2]
  if seen ~= stored[i] then
    local epochSeen, lineage, minuteSeen, _, minuteCount, _, periodCount = parsed(seen)
    if epochSeen then
      seens[i] = { lineage, minuteSeen, minuteCount, periodCount }
      minute = math.max(minute, minuteSeen)
    end
  end
  minute = math.max(minute, minutes[i])
end

-- Bring into the windows ---------------------------------------------------------------------------

local periods = {}
local function periodOf(from)
  if not periods[from] and whole(from) and from <= 28 then periods[from] = periodAt(minute, from) end
  return periods[from]
end

-- Counts seen in another lineage were made before this lineage began, so they raise its base.
-- Within one lineage the larger count is the newer one.
local function resumed(count, base, seen, isSameLineage)
  if isSameLineage then return math.max(count, seen), base end
  if seen > base then return count + seen - base, seen end
  return count, base
end

local function bring(i, period, seedPeriod, seed)
  if seedPeriod ~= 0 and not (whole(seedPeriod) and whole(seed)) then return 'malformed' end
  -- A counter that is new to its epoch or to its period needs a seed from Postgres.
  local begins = epochs[i] ~= epoch or minutes[i] < period.start
  if begins and seedPeriod ~= period.number then return 'reseed' end

  if minutes[i] < minute then minuteCounts[i], minuteBases[i] = 0, 0 end
  if minutes[i] < period.start then periodCounts[i], periodBases[i] = 0, 0 end
  if seedPeriod == period.number then
    local missing = math.max(0, seed - periodCounts[i])
    periodCounts[i], periodBases[i] = periodCounts[i] + missing, periodBases[i] + missing
  end
  if begins then
    lineages[i], minuteBases[i], periodBases[i] = freshId, minuteCounts[i], periodCounts[i]
  end
  if not seens[i] then return nil end
  local lineage, minuteSeen, minuteCount, periodCount = unpack(seens[i])
  local isSame = lineage == lineages[i]
  if minuteSeen == minute then
    minuteCounts[i], minuteBases[i] = resumed(minuteCounts[i], minuteBases[i], minuteCount, isSame)
  end
  if minuteSeen >= period.start then
    periodCounts[i], periodBases[i] = resumed(periodCounts[i], periodBases[i], periodCount, isSame)
  end
end

for i = 1, #stored do
  local period, seedPeriod = periodOf(knowns[5 * i - 3]), knowns[5 * i - 1]
  if not period then
    faults[i] = 'malformed'
  elseif minutes[i] < minute or epochs[i] ~= epoch or seens[i] or seedPeriod ~= 0 then
    faults[i] = bring(i, period, seedPeriod, knowns[5 * i])
  end
end

-- Write --------------------------------------------------------------------------------------------

-- The counters that were judged; the usage fields that the call raises, and by how much.
local isJudged, fields, raises = {}, {}, {}
local function raise(field, by)
  local last = #fields + 1
  fields[last], raises[last] = field, by
end

local function raisePeriod(i, cost)
  local period = periodOf(knowns[5 * i - 3])
  raise(period.kind .. '|' .. incarnation .. '|' .. period.number .. '|' .. knowns[5 * i - 4], cost)
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

-- Writes what was judged and raised; returns the fields' numbers. Nothing fails after the first write.
local function write()
  local numbers = numbersOf()
  if not numbers then
    isFresh, incarnation = true, freshId
    for i = 1, #fields do fields[i] = string.gsub(fields[i], '|%w+', '|' .. freshId, 1) end
    numbers = assert(numbersOf(), 'usage of a fresh incarnation exists')
  end
  for i = 1, #stored do
    if isJudged[i] then
      -- Not %d, which has 32 bits in js-redis-server.
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
  if isFresh or usageMinute ~= minute then
    redis.call('HSET', KEYS[1], 'epoch', epoch, 'incarnation', incarnation, 'minute', minute)
  end
  return numbers
end
