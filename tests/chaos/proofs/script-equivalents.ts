/** Mutants of the scripts that no history can distinguish from the original, and why. */
export interface Equivalents {
  why: string;
  mutants: readonly string[];
}

export const EQUIVALENTS: readonly Equivalents[] = [
  {
    why: 'The estimate is this month or the one before with any number of days from 1 to 27.',
    mutants: [
      'charge.lua: number = math.floor((day - 3) * 4800 / 146097) + 23640 -> number = math.floor((day - 4) * 4800 / 146097) + 23640',
      'charge.lua: number = math.floor((day - 3) * 4800 / 146097) + 23640 -> number = math.floor((day - 2) * 4800 / 146097) + 23640',
    ],
  },
  {
    why: 'Both are the day, until the month is known.',
    mutants: ['charge.lua: local day = number - from + 1 -> local day = start - from + 1'],
  },
  {
    why: 'The period is computed again, with the same result.',
    mutants: [
      'charge.lua: if not periods[from] and whole(from) and from <= 28 then periods[from] = periodAt(minute, from) end -> if whole(from) and from <= 28 then periods[from] = periodAt(minute, from) end',
    ],
  },
  {
    why: 'A counter that enters a period starts there, so its base is its count.',
    mutants: [
      'charge.lua: if minutes[i] < period.start then periodCounts[i], periodBases[i] = 0, 0 end -> if minutes[i] < period.start then periodCounts[i], periodBases[i] = 0, 1 end',
    ],
  },
  {
    why: 'The write would not change the values; the condition only saves it.',
    mutants: ['charge.lua: if isFresh or usageMinute ~= minute then -> if true then'],
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
      'charge.lua: minutes[i] = minutes[i] or 0 -> minutes[i] = minutes[i] or 1',
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
      'charge.lua: if seen ~= stored[i] then -> if true then',
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
    ],
  },
  {
    why: 'No field is named 0, and none is written.',
    mutants: ['charge.lua: for i = 1, #fields do -> for i = 0, #fields do'],
  },
  {
    why: 'A field without a number is compared with nil and kept; no field has a number as its name.',
    mutants: [
      'trim.lua: for i = 2, #ARGV - 1, 2 do -> for i = 2, #ARGV - 0, 2 do',
      'trim.lua: for i = 2, #ARGV - 1, 2 do -> for i = 2, #ARGV - 1, 1 do',
    ],
  },
];
