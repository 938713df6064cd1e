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
      "charge.lua: string.match(text or '', '^(%w+):(%w+):(%d+):(%d+):(%d+):(%d+):(%d+)$') -> string.match(text or 'x', '^(%w+):(%w+):(%d+):(%d+):(%d+):(%d+):(%d+)$')",
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
      'charge.lua: minute = math.max(minute, scope.seen.minute, counters[i] and counters[i].minute or 0) -> minute = math.max(minute, scope.seen.minute, counters[i] and counters[i].minute or 1)',
      'charge.lua: local counter = counters[i] or { minute = 0 } -> local counter = counters[i] or { minute = 1 }',
    ],
  },
  {
    why: 'A counter that enters a month starts there, so its base is its count.',
    mutants: [
      'charge.lua: if counter.minute < monthStart then counter.monthCount, counter.monthBase = 0, 0 end -> if counter.minute < monthStart then counter.monthCount, counter.monthBase = 0, 1 end',
    ],
  },
  {
    why: 'If one part of the text is found, all parts are.',
    mutants: ['charge.lua: if not epoch then return nil end -> if not lineage then return nil end'],
  },
  {
    why: 'In this branch the incarnation is the fresh id.',
    mutants: [
      'charge.lua: fields, numbers = usageOf(incarnation) -> fields, numbers = usageOf(freshId)',
      "charge.lua: set('incarnation', incarnation) -> set('incarnation', freshId)",
    ],
  },
  {
    why: 'No field is named 0, and none is written.',
    mutants: ['charge.lua: for i = 1, #fields do -> for i = 0, #fields do'],
  },
  {
    why: 'The write would not change the value; the condition only saves the write.',
    mutants: [
      'charge.lua: if fresh then -> if true then',
      "charge.lua: if usageMinute ~= minute then set('minute', minute) end -> if true then set('minute', minute) end",
    ],
  },
  {
    why: 'Arguments are identified by position: if the name is missing, so are the numbers after it.',
    mutants: [
      'charge.lua: if not (scope.name and scope.ratePerMinute and scope.quota and scope.seed and seen.minute -> if not (scope.ratePerMinute and scope.quota and scope.seed and seen.minute',
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
