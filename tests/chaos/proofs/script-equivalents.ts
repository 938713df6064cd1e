/** Mutants of the scripts that no history can distinguish from the original, and why. */
export interface Equivalents {
  why: string;
  mutants: readonly string[];
}

export const EQUIVALENTS: readonly Equivalents[] = [
  {
    why: 'The month is the same on each of the 146,097 days of a cycle of 400 years.',
    mutants: [
      'charge.lua: local year = math.floor((day - math.floor(day / 1460) + math.floor(day / 36524) -> local year = math.floor((day - math.floor(day / 1459) + math.floor(day / 36524)',
      'charge.lua: local year = math.floor((day - math.floor(day / 1460) + math.floor(day / 36524) -> local year = math.floor((day - math.floor(day / 1460) + math.floor(day / 36523)',
      'charge.lua: local year = math.floor((day - math.floor(day / 1460) + math.floor(day / 36524) -> local year = math.floor((day - math.floor(day / 1460) + (day / 36524)',
      'charge.lua: - math.floor(day / 146096)) / 365) -> - math.floor(day / 146095)) / 365)',
    ],
  },
  {
    why: 'Neither text is a counter.',
    mutants: [
      "charge.lua: minuteBases[i], minuteCounts[i], periodBases[i], periodCounts[i] = parsed(stored[i] or '') -> minuteBases[i], minuteCounts[i], periodBases[i], periodCounts[i] = parsed(stored[i] or 'x')",
    ],
  },
  {
    why: 'If both are equal, the result is the same.',
    mutants: [
      'charge.lua: if seen > base then return count + seen - base, seen end -> if seen >= base then return count + seen - base, seen end',
      'charge.lua: if minutes[i] > minute then minute = minutes[i] end -> if minutes[i] >= minute then minute = minutes[i] end',
      "trim.lua: if removed > 0 and judgedBy > stored then redis.call('HSET', KEYS[1], 'minute', judgedBy) end -> if removed > 0 and judgedBy >= stored then redis.call('HSET', KEYS[1], 'minute', judgedBy) end",
    ],
  },
  {
    why: 'INFO begins with the name of a section, and the names have no magic characters of a pattern.',
    mutants: [
      'charge.lua: local at = string.find(info, name, 1, true) -> local at = string.find(info, name, 2, true)',
      'charge.lua: local at = string.find(info, name, 1, true) -> local at = string.find(info, name, 0, true)',
      'charge.lua: local at = string.find(info, name, 1, true) -> local at = string.find(info, name, 1, false)',
    ],
  },
  {
    why: 'Every time after the first month of 1970 is later.',
    mutants: [
      'charge.lua: local minute = math.max(math.floor(timeMs / 60000), usageMinute or 0) -> local minute = math.max(math.floor(timeMs / 60000), usageMinute or 1)',
      'charge.lua: if not minutes[i] then minutes[i] = 0 end -> if not minutes[i] then minutes[i] = 1 end',
    ],
  },
  {
    why: 'A counter that enters a period starts there, so its base is its count.',
    mutants: [
      'charge.lua: local minuteCount, minuteBase, periodCount, periodBase = 0, 0, 0, 0 -> local minuteCount, minuteBase, periodCount, periodBase = 0, 0, 0, 1',
    ],
  },
  {
    why: 'Either makes a number of the text.',
    mutants: [
      'charge.lua: minute, minuteBase, minuteCount = minute + 0, minuteBase + 0, minuteCount + 0 -> minute, minuteBase, minuteCount = minute - 0, minuteBase + 0, minuteCount + 0',
      'charge.lua: minute, minuteBase, minuteCount = minute + 0, minuteBase + 0, minuteCount + 0 -> minute, minuteBase, minuteCount = minute + 0, minuteBase - 0, minuteCount + 0',
      'charge.lua: minute, minuteBase, minuteCount = minute + 0, minuteBase + 0, minuteCount + 0 -> minute, minuteBase, minuteCount = minute + 0, minuteBase + 0, minuteCount - 0',
      'charge.lua: periodBase, periodCount = periodBase + 0, periodCount + 0 -> periodBase, periodCount = periodBase - 0, periodCount + 0',
      'charge.lua: periodBase, periodCount = periodBase + 0, periodCount + 0 -> periodBase, periodCount = periodBase + 0, periodCount - 0',
    ],
  },
  {
    why: 'There is no counter 0.',
    mutants: [
      'charge.lua: for i = 1, #stored do -> for i = 0, #stored do',
      'charge.lua: for i = 1, #stored do -> for i = 0, #stored do (2)',
      'charge.lua: for i = 1, #stored do -> for i = 0, #stored do (3)',
      'charge.lua: for i = 1, #stored do -> for i = 0, #stored do (4)',
    ],
  },
  {
    why: 'A counter that is current stays as it is, however often it is brought into its windows.',
    mutants: [
      'charge.lua: elseif minutes[i] < minute or epochs[i] ~= epoch or seens[i] or seedPeriod ~= 0 then -> elseif minutes[i] <= minute or epochs[i] ~= epoch or seens[i] or seedPeriod ~= 0 then',
      'charge.lua: elseif minutes[i] < minute or epochs[i] ~= epoch or seens[i] or seedPeriod ~= 0 then -> elseif minutes[i] < minute or epochs[i] ~= epoch or seens[i] or seedPeriod ~= 1 then',
      "charge.lua: if seen ~= stored[i] and seen ~= '' then -> if seen ~= '' then",
    ],
  },
  {
    why: 'If one part of the text is found, all parts are.',
    mutants: ['charge.lua: if not epoch then return nil end -> if not lineage then return nil end'],
  },
  {
    why: 'In this branch the incarnation is the fresh id.',
    mutants: [
      "charge.lua: for i = 1, #fields do fields[i] = string.gsub(fields[i], '|%w+', '|' .. freshId, 1) end -> for i = 1, #fields do fields[i] = string.gsub(fields[i], '|%w+', '|' .. incarnation, 1) end",
      "charge.lua: if fresh then redis.call('HSET', KEYS[1], 'epoch', epoch, 'incarnation', incarnation) end -> if fresh then redis.call('HSET', KEYS[1], 'epoch', epoch, 'incarnation', freshId) end",
    ],
  },
  {
    why: 'No field is named 0, and none is written.',
    mutants: ['charge.lua: for i = 1, #fields do -> for i = 0, #fields do'],
  },
  {
    why: 'The write would not change the value; the condition only saves the write.',
    mutants: [
      "charge.lua: if fresh then redis.call('HSET', KEYS[1], 'epoch', epoch, 'incarnation', incarnation) end -> if true then redis.call('HSET', KEYS[1], 'epoch', epoch, 'incarnation', incarnation) end",
      "charge.lua: if usageMinute ~= minute then redis.call('HSET', KEYS[1], 'minute', minute) end -> if true then redis.call('HSET', KEYS[1], 'minute', minute) end",
    ],
  },
  {
    why: 'The period is computed again, with the same result.',
    mutants: [
      'charge.lua: if not periods[day] and whole(day) and day <= 28 then -> if whole(day) and day <= 28 then',
    ],
  },
  {
    why: 'A field without a number is compared with nil and kept; no field has a number as its name.',
    mutants: [
      'trim.lua: for i = 2, #ARGV - 1, 2 do -> for i = 2, #ARGV - 0, 2 do',
      'trim.lua: for i = 2, #ARGV - 1, 2 do -> for i = 2, #ARGV - 1, 1 do',
    ],
  },
];
