import { MS_PER_MINUTE, windowOfPeriod } from '@ceiba/domain';
import { expect, it } from 'vitest';
import { readScript } from '../../../apps/runtime/src/redis/script.ts';
import { describeOnEachRedis } from './support/servers.ts';

const PERIODS_OF_SCRIPT = `
  ${readScript('../../../apps/runtime/src/limiter/calendar.lua', import.meta.url)}
  local from, reply = tonumber(ARGV[1]), {}
  for _, minute in ipairs(cjson.decode(ARGV[2])) do
    local period = periodAt(minute, from)
    reply[#reply + 1], reply[#reply + 2] = period.number, period.start
  end
  return reply`;

describeOnEachRedis('the periods', (redis) => {
  it('have the same numbers and starts in the script and in the Runtime for 400 years', async () => {
    for (const period of [0, 1, 2, 15, 28]) {
      const { numberAt, startOf } = windowOfPeriod(period);
      const firsts = Array.from({ length: 4801 }, (_, month) => Date.UTC(1971, month, period || 1));
      const minutes = firsts.map((ms) => ms / MS_PER_MINUTE).flatMap((first) => [first - 1, first]);
      const expected = minutes.flatMap((minute) => {
        const number = numberAt(minute * MS_PER_MINUTE);
        return [number, startOf(number) / MS_PER_MINUTE];
      });
      const args = [period, JSON.stringify(minutes)];
      expect(await redis().admin.eval(PERIODS_OF_SCRIPT, 0, ...args)).toEqual(expected);
    }
  });
});
