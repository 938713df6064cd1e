import { expect, it } from 'vitest';
import { callOf, countAdmitted, handClock, startRuntime } from './support/runtime.ts';
import { describeOnEachRedis } from './support/servers.ts';
import { createMemoryStore } from './support/store.ts';

const QUOTA = 40;
const RATE = 9;
const STEPS = 150;

/** Numbers in [0, 1) that a seed determines (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const seedOfRun = Number(process.env.CEIBA_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));

describeOnEachRedis('any schedule', (redis) => {
  it.each([0, 1, 2, 3])(
    `of charges, deaths, wipes and clock steps admits no month's quota twice and counts each admission once (seed ${seedOfRun} + %i)`,
    async (round) => {
      const random = randomFrom(seedOfRun + round);
      const pick = (below: number) => Math.floor(random() * below);
      const clock = handClock('2026-11-29T20:00:00Z');
      const store = createMemoryStore();
      const begin = () => startRuntime({ url: redis().url, store, clock });
      const runtimes = await Promise.all([begin(), begin(), begin()]);
      const limits = { rateLimitPerMinute: RATE, monthlyQuota: QUOTA };
      const first = callOf(limits, { monthlyQuota: 25 });
      const calls = [first, callOf(limits, {}, { projectId: first.projectId })];
      const { projectId } = first;
      let admitted = 0;

      const saveAll = async () => {
        await Promise.all(runtimes.map((runtime) => runtime.flush()));
        await runtimes[0]!.sweep();
      };
      for (let step = 0; step < STEPS; step++) {
        const runtime = runtimes[pick(runtimes.length)]!;
        const dice = random();
        if (dice < 0.6) {
          const burst = Array.from({ length: 1 + pick(6) }, () => runtime.charge(calls[pick(2)]!));
          admitted += countAdmitted(await Promise.all(burst));
        } else if (dice < 0.75) clock.ms += pick(3 * 60_000);
        else if (dice < 0.8) clock.ms += pick(8 * 3_600_000);
        else if (dice < 0.85) clock.ms -= pick(6 * 3_600_000);
        else if (dice < 0.9) await runtime.flush();
        else if (dice < 0.93) await runtime.sweep();
        else if (dice < 0.96) {
          runtime.die();
          runtimes[runtimes.indexOf(runtime)] = await begin();
        } else {
          await saveAll();
          await redis().admin.flushall();
          if (random() < 0.5) {
            for (const old of runtimes.splice(0)) old.die();
            runtimes.push(...(await Promise.all([begin(), begin(), begin()])));
          }
        }
      }
      await saveAll();
      expect(store.decisions(projectId, 'allowed')).toBe(admitted);
      expect(store.admissions(projectId, 'project')).toBe(admitted);
      for (const total of store.totalsByMonth(projectId, 'project')) {
        expect(total).toBeLessThanOrEqual(QUOTA);
      }
      for (const total of store.totalsByMonth(projectId, first.apiKeyId)) {
        expect(total).toBeLessThanOrEqual(25);
      }
    },
  );
});
