import { MS_PER_MINUTE, windowOfPeriod } from '@ceiba/domain';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chargeScriptText } from '../../../apps/runtime/src/limiter/charge-script.ts';
import { type RedisServer, startRedisServer } from '../../support/redis.ts';

/** From the script: `whole`, and what says which period a minute is in. */
function periodsOfScript(): string {
  const [, whole] = /^(local function whole[\s\S]*?\nend)$/m.exec(chargeScriptText()) ?? [];
  const [, periods] =
    /^(local function firstDay[\s\S]*?)^-- Counts seen/m.exec(chargeScriptText()) ?? [];
  return `
    ${whole}
    local minute
    ${periods}
    local from, reply = tonumber(ARGV[1]), {}
    for _, text in ipairs(cjson.decode(ARGV[2])) do
      periods[from], minute = nil, text
      local period = periodOf(from)
      reply[#reply + 1], reply[#reply + 2] = period.number, period.start
    end
    return reply`;
}

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedisServer();
});
afterAll(() => redis.dispose());

it.each(Array.from({ length: 29 }, (_, period) => period))(
  'the script and the Runtime agree on the numbers and starts of period %i in 400 years',
  async (period) => {
    const window = windowOfPeriod(period);
    const firsts = Array.from({ length: 4801 }, (_, month) => Date.UTC(1971, month, period || 1));
    // The first minute of each, the last before it, and one in between.
    const minutes = firsts
      .map((ms) => ms / MS_PER_MINUTE)
      .flatMap((it) => [it - 1, it, it + 20_000]);
    const expected = minutes.flatMap((minute) => {
      const number = window.numberAt(minute * MS_PER_MINUTE);
      return [number, window.startOf(number) / MS_PER_MINUTE];
    });
    const got = await redis.admin.eval(periodsOfScript(), 0, period, JSON.stringify(minutes));
    expect(got).toEqual(expected);
  },
);
