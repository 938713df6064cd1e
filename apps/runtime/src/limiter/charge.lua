--[[
The charge: if every limit has room, all counters are charged together; otherwise none is.
A call carries charges of one project. They are judged one by one, in order, each against the
counters as the charges before it left them. This is the second half of counters.lua.
Rules all-or-nothing, always-counted, charge-deadline and shared-calls of
docs/reference/consistency.md; docs/adr/0003-the-charge.md and 0019-charges-share-a-call.md explain
the design.

ARGV
  3       JSON, two lists:
            kinds of charges  a list each: cost, name, then place, rate, quota of each counter
              cost            0 to 1,000,000: quotas count cost, rates count calls
              name            `apiKeyId|policyId`
              place           of a counter, from 1
              rate, quota     per minute and per period; -1 is counted, but not limited
            charges           two for each charge: its deadline, in ms on this server's clock; its kind,
                              from 1

Output
  timeMs, minute
  per charge one of
    malformed   the charge or one of its counters does not parse; nothing was charged
    late        its deadline has passed; nothing was charged
    reseed      one of its counters needs a seed for its period; nothing was charged
    allowed, quota_exceeded, rate_limited
  if any charge was judged; otherwise nothing was written
    incarnation
    per counter three: as it was written, minuteCount, periodCount; '', 0, 0 if it was not
    the number of each usage field that was raised: per name, in the order of the kinds, those of
    allowed, quota_exceeded and rate_limited; then per counter that of its period
]]

local asked = cjson.decode(ARGV[3])
local kinds, charges = asked[1], asked[2]
local OUTCOMES = { 'allowed', 'quota_exceeded', 'rate_limited' }

-- Why no charge of a kind can be judged; nil where it can.
local function faultOf(kind)
  local cost = kind[1]
  if cost % 1 ~= 0 or cost < 0 or cost > 1e6 or #kind == 2 or #kind % 3 ~= 2 then
    return 'malformed'
  end
  local fault
  for at = 3, #kind, 3 do
    local place = kind[at]
    if faults[place] == 'malformed' or stored[place] == nil then return 'malformed' end
    fault = fault or faults[place]
  end
  return fault
end

-- Periods over all counters, then minutes (rule all-or-nothing). A cost of 0 needs no quota.
local function outcomeOf(kind)
  local cost = kind[1]
  for at = 3, #kind, 3 do
    local quota = kind[at + 2]
    if quota ~= -1 and cost > 0 and periodCounts[kind[at]] + cost > quota then
      return 'quota_exceeded'
    end
  end
  for at = 3, #kind, 3 do
    local rate = kind[at + 1]
    if rate ~= -1 and minuteCounts[kind[at]] >= rate then return 'rate_limited' end
  end
  return 'allowed'
end

-- How often each outcome came of each name, and what each counter was charged.
local times = { allowed = {}, quota_exceeded = {}, rate_limited = {} }
local costs = {}

local function judge(kind)
  local name, outcome = kind[2], outcomeOf(kind)
  times[outcome][name] = (times[outcome][name] or 0) + 1
  for scope = 3, #kind, 3 do
    local i = kind[scope]
    isJudged[i] = true
    if outcome == 'allowed' then
      minuteCounts[i] = minuteCounts[i] + 1
      periodCounts[i] = periodCounts[i] + kind[1]
      costs[i] = (costs[i] or 0) + kind[1]
    end
  end
  return outcome
end

local reply, faultsOfKinds = { timeMs, minute }, {}
for at = 1, #kinds do faultsOfKinds[at] = faultOf(kinds[at]) or false end
local last = 2 -- in the reply
for i = 1, #charges, 2 do
  local deadlineMs, at = charges[i], charges[i + 1]
  local fault = faultsOfKinds[at]
  if fault == nil then fault = 'malformed' end
  if fault ~= 'malformed' and timeMs > deadlineMs then fault = 'late' end
  last = last + 1
  reply[last] = fault or judge(kinds[at])
end
if next(isJudged) == nil then return reply end

local hour = 'h|' .. incarnation .. '|' .. math.floor(minute / 60) .. '|'
for at = 1, #kinds do
  local name = kinds[at][2]
  for o = 1, 3 do
    local by = times[OUTCOMES[o]][name]
    if by then raise(hour .. name .. '|' .. OUTCOMES[o], by) end
    -- Kinds of one name differ in their limits: a plan changed between two charges.
    times[OUTCOMES[o]][name] = nil
  end
end
for i = 1, #stored do
  if costs[i] and costs[i] > 0 then raisePeriod(i, costs[i]) end
end

local problem, numbers = write()
if problem then return redis.error_reply(problem) end
last = last + 1
reply[last] = incarnation
for i = 1, #stored do
  local isWritten = isJudged[i]
  reply[last + 1] = isWritten and stored[i] or ''
  reply[last + 2] = isWritten and minuteCounts[i] or 0
  reply[last + 3] = isWritten and periodCounts[i] or 0
  last = last + 3
end
for i = 1, #numbers do reply[last + i] = numbers[i] end
return reply
