--[[
The calendar, in UTC, read before counters.lua. Minutes and days are whole ones since 1970. A month is
the year * 12 + month (from 0) in which it begins.
]]

-- The first day of a month. Years begin in March here, so that the leap day comes last
-- (https://howardhinnant.github.io/date_algorithms.html#days_from_civil).
local function firstDay(month)
  local year, march = math.floor((month - 2) / 12), (month - 2) % 12
  return 365 * year + math.floor(year / 4) - math.floor(year / 100) + math.floor(year / 400)
    + math.floor((153 * march + 2) / 5) - 719468
end

-- The period that runs at a minute, of months from a day of the month on, or of days where that is 0:
-- its number, its first minute, and how its usage is named.
local function periodAt(minute, from)
  local number = math.floor(minute / 1440)
  local start, kind = number, 'd'
  if from > 0 then
    local day = number - from + 1
    -- By the average length of a month: this one or the one before.
    number = math.floor((day - 3) * 4800 / 146097) + 23640
    if firstDay(number + 1) <= day then number = number + 1 end
    start, kind = firstDay(number) + from - 1, 'm'
  end
  return { number = number, start = start * 1440, kind = kind }
end
