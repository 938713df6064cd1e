--[[
The charge: if every limit has room, all counters are charged together; otherwise none is.
A call carries charges of one project, judged in order, each against the counters as the charges before
it left them. Read after counters.lua. Rules all-or-nothing, always-counted, charge-deadline
and shared-calls of docs/reference/consistency.md; ADR 0003, 0019 and 0058.

ARGV
  3       JSON, two lists:
            kinds, a list each: cost, name, then place, rate, quota of each counter
              cost            0 to 1,000,000: quotas count cost, rates count calls
              name            `apiKeyId|policyId`
              place           of a counter, from 1
              rate, quota     per minute and per period; -1: counted, but not limited
            charges, two each: deadline, in ms on this server's clock; kind, from 1

Output
  timeMs, minute
  per charge: allowed, quota_exceeded or rate_limited; or, where it was not judged
    malformed   it or one of its counters does not parse
    late        its deadline has passed
    reseed      one of its counters needs a seed
  if any was judged; otherwise nothing was written
    incarnation
    per counter: as written, minuteCount, periodCount; '', 0, 0 if it was not
    the usage fields' numbers: per name and outcome, then per charged counter
]]

local OUTCOMES = { 'allowed', 'quota_exceeded', 'rate_limited' }
local kinds, charges = unpack(cjson.decode(ARGV[3]))

-- Why no charge of a kind can be judged; false where it can.
local function faultOf(kind)
  local cost, fault = kind[1], false
  if not whole(cost) or cost > 1e6 or #kind == 2 or #kind % 3 ~= 2 then return 'malformed' end
  for at = 3, #kind, 3 do
    local place = kind[at]
    if faults[place] == 'malformed' or stored[place] == nil then return 'malformed' end
    fault = fault or faults[place] or false
  end
  return fault
end

-- Periods over all counters, then minutes. A cost of 0 needs no quota. What is no number has no room.
local function outcomeOf(kind)
  local cost = kind[1]
  for at = 3, #kind, 3 do
    local quota = kind[at + 2]
    if quota ~= -1 and cost > 0 and not (periodCounts[kind[at]] + cost <= quota) then
      return 'quota_exceeded'
    end
  end
  for at = 3, #kind, 3 do
    local rate = kind[at + 1]
    if rate ~= -1 and not (minuteCounts[kind[at]] < rate) then return 'rate_limited' end
  end
  return 'allowed'
end

-- How often each outcome came of each name, and what each counter was charged.
local times = { allowed = {}, quota_exceeded = {}, rate_limited = {} }
local costs = {}

local function judge(kind)
  local cost, name, outcome = kind[1], kind[2], outcomeOf(kind)
  times[outcome][name] = (times[outcome][name] or 0) + 1
  for at = 3, #kind, 3 do
    local i = kind[at]
    isJudged[i] = true
    if outcome == 'allowed' then
      minuteCounts[i], periodCounts[i] = minuteCounts[i] + 1, periodCounts[i] + cost
      costs[i] = (costs[i] or 0) + cost
    end
  end
  return outcome
end

local reply, faultsOfKinds = { timeMs, minute }, {}
for i = 1, #kinds do faultsOfKinds[i] = faultOf(kinds[i]) end
for i = 1, #charges, 2 do
  local deadlineMs, kind = charges[i], charges[i + 1]
  local fault = faultsOfKinds[kind]
  if fault == nil then fault = 'malformed' end
  if fault ~= 'malformed' and not (timeMs <= deadlineMs) then fault = 'late' end
  reply[#reply + 1] = fault or judge(kinds[kind])
end
if next(isJudged) == nil then return reply end

local hour = 'h|' .. incarnation .. '|' .. math.floor(minute / 60) .. '|'
for i = 1, #kinds do
  local name = kinds[i][2]
  for _, outcome in ipairs(OUTCOMES) do
    local by = times[outcome][name]
    if by then raise(hour .. name .. '|' .. outcome, by) end
    -- Kinds of one name differ in their limits: a plan changed between two charges.
    times[outcome][name] = nil
  end
end
for i = 1, #stored do
  if costs[i] and costs[i] > 0 then raisePeriod(i, costs[i]) end
end

local numbers, last = write(), #reply + 1
reply[last] = incarnation
for i = 1, #stored do
  reply[last + 1], reply[last + 2], reply[last + 3] = '', 0, 0
  if isJudged[i] then
    reply[last + 1], reply[last + 2], reply[last + 3] = stored[i], minuteCounts[i], periodCounts[i]
  end
  last = last + 3
end
for i = 1, #numbers do reply[last + i] = numbers[i] end
return reply
