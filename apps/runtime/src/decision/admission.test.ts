import { describe, expect, it } from 'vitest';
import { Admission, type Admitted } from './admission.ts';

/** Decisions are fast below 20 ms, and a period is 100 ms. */
const DEADLINE_MS = 500;

/** Requests that arrive at a set rate, of which a server decides one after the other. */
function simulate(maxDecisions = 4_096) {
  let nowMs = 0;
  const admission = new Admission({ maxDecisions, deadlineMs: DEADLINE_MS, now: () => nowMs });
  const queue: { project: string; arrivedAt: number; admitted: Admitted }[] = [];
  /** By project: how long each answer took, in ms, and how many requests were refused. */
  let tookMs: Record<string, number[]> = {};
  let refused: Record<string, number> = {};
  const arrive = (project: string) => {
    const admitted = admission.admit(project);
    if (admitted === null) refused[project] = (refused[project] ?? 0) + 1;
    else queue.push({ project, arrivedAt: nowMs, admitted });
  };
  /** Each ms, projects ask as often as stated, and the server decides so many requests. */
  const run = (forMs: number, decidesPerMs: number, arrivals: Record<string, number>) => {
    tookMs = {};
    refused = {};
    const owed = Object.entries(arrivals).map(([project, perMs]) => ({ project, perMs, count: 0 }));
    for (const end = nowMs + forMs; nowMs < end; nowMs += 1) {
      for (const each of owed) {
        for (each.count += each.perMs; each.count >= 1; each.count -= 1) arrive(each.project);
      }
      for (const { project, arrivedAt, admitted } of queue.splice(0, decidesPerMs)) {
        admitted.leave(true);
        tookMs[project] ??= [];
        tookMs[project].push(nowMs - arrivedAt);
      }
    }
    return { tookMs, refused };
  };
  return { admission, arrive, run, waiting: () => queue.length, refused: () => refused };
}

const longest = (times: readonly number[] = []) => Math.max(...times);

describe('the admission', () => {
  it('refuses nothing while requests are decided as fast as they arrive', () => {
    expect(simulate().run(3_000, 6, { a: 5.9 }).refused).toEqual({});
  });

  it('refuses nothing of a burst that comes again after two periods in which little is asked', () => {
    const { arrive, run, refused } = simulate();
    for (let burst = 0; burst < 20; burst += 1) {
      for (let n = 0; n < 1_000; n += 1) arrive('a');
      expect(refused()).toEqual({});
      run(210, 5, { a: 0.02 });
      run(200, 5, { a: 0.02 });
    }
  });

  it('refuses nothing of a burst after a pause, even if its first answer is slow', () => {
    const { arrive, run } = simulate();
    run(1_000, 6, { a: 1 });
    run(1_000, 6, {});
    for (let n = 0; n < 200; n += 1) arrive('a');
    run(30, 0, {});
    expect(run(60, 6, { a: 4 }).refused).toEqual({});
  });

  it('refuses nothing while no answer shows how long decisions take', () => {
    expect(simulate().run(300, 0, { a: 4 }).refused).toEqual({});
  });

  it('keeps what it admits fast at three times what can be decided, and the server busy', () => {
    const { run } = simulate();
    run(1_000, 6, { a: 18 });
    const { tookMs, refused } = run(3_000, 6, { a: 18 });
    expect(longest(tookMs.a)).toBeLessThan(50);
    expect(tookMs.a).toHaveLength(18_000);
    expect(refused.a).toBeGreaterThan(35_000);
  });

  it('ends an overload that a stall began, where decisions take 15 ms without load and a few are quick', () => {
    let nowMs = 0;
    const admission = new Admission({
      maxDecisions: 4_096,
      deadlineMs: DEADLINE_MS,
      now: () => nowMs,
    });
    const inFlight: { until: number; admitted: Admitted }[] = [];
    const ask = (forMs: number, takesMs: number) => {
      let refused = 0;
      for (const end = nowMs + forMs; nowMs < end; nowMs += 1) {
        if (nowMs % 1_000 === 0) admission.admit('quick')?.leave(true);
        for (let n = 0; n < 10; n += 1) {
          const admitted = admission.admit('a');
          if (admitted === null) refused += 1;
          else inFlight.push({ until: nowMs + takesMs, admitted });
        }
        while (inFlight[0] && inFlight[0].until <= nowMs) inFlight.shift()?.admitted.leave(true);
      }
      return refused;
    };
    expect(ask(1_000, 15)).toBe(0);
    ask(300, 100);
    expect(ask(1_000, 15)).toBeGreaterThan(0);
    ask(8_000, 15);
    expect(ask(1_000, 15)).toBe(0);
  });

  it('refuses requests within two periods of the start of an overload', () => {
    const { run } = simulate();
    run(201, 6, { a: 18 });
    const { refused } = run(50, 6, { a: 18 });
    expect(refused.a).toBe(900);
  });

  it('answers every request of a project that asks for less than its share beside a flood', () => {
    const { admission, run } = simulate();
    admission.admit('keeps the Runtime from being idle');
    for (let n = 0; n < 1_000; n += 1) admission.admit(`came and went ${n}`)?.leave(true);
    run(1_000, 6, { flood: 18 });
    const { tookMs, refused } = run(3_000, 6, { flood: 18, other: 0.5 });
    expect(refused.other).toBeUndefined();
    expect(tookMs.other?.length).toBeGreaterThan(1_470);
    expect(longest(tookMs.other)).toBeLessThan(50);
  });

  it('gives projects that all ask for too much equal shares, and stays fast', () => {
    const { run } = simulate();
    const floods = { a: 6, b: 18, c: 9 };
    run(1_000, 6, floods);
    const { tookMs } = run(3_000, 6, floods);
    const answered = Object.values(tookMs).map((times) => times.length);
    expect(Math.min(...answered) / Math.max(...answered)).toBeGreaterThan(0.8);
    expect(longest(Object.values(tookMs).flat())).toBeLessThan(45);
  });

  it('has no limit again two periods after an overload has ended', () => {
    const { admission, arrive, run, refused } = simulate();
    admission.admit('keeps the Runtime from being idle');
    run(2_000, 6, { a: 18 });
    run(250, 6, { a: 5 });
    for (let n = 0; n < 1_000; n += 1) arrive('a');
    expect(refused()).toEqual({});
  });

  it('raises the limit while it refuses requests and decisions are fast', () => {
    const { admission, arrive, run, refused } = simulate();
    admission.admit('keeps the Runtime from being idle');
    run(1_000, 1, { a: 3 });
    const burst = () => {
      run(20, 20, {});
      for (let n = 0; n < 300; n += 1) arrive('a');
      return refused().a;
    };
    expect(burst()).toBeGreaterThan(200);
    for (let n = 0; n < 200; n += 1) burst();
    expect(burst()).toBeUndefined();
  });

  it('never refuses 64 requests at a time, however slow they are', () => {
    const { arrive, run, waiting, refused } = simulate();
    for (let round = 0; round < 1_000; round += 1) {
      for (let free = 64 - waiting(); free > 0; free -= 1) arrive('a');
      expect(refused()).toEqual({});
      run(10, 1, {});
    }
    for (let free = 65 - waiting(); free > 0; free -= 1) arrive('a');
    expect(refused()).toEqual({ a: 1 });
  });

  it('counts single slow decisions beside fast ones as no overload', () => {
    const { admission, run } = simulate();
    const hanging = Array.from({ length: 500 }, () => admission.admit('hanging'));
    for (const each of hanging.slice(100)) {
      expect(run(10, 6, { a: 5 }).refused).toEqual({});
      each?.leave(true);
    }
  });

  it('never refuses 64 requests of many projects at a time, however slow they are', () => {
    const { arrive, run, waiting, refused } = simulate();
    for (let round = 0; round < 1_000; round += 1) {
      for (let free = 64 - waiting(); free > 0; free -= 1) arrive(`${(round + free) % 20}`);
      expect(refused()).toEqual({});
      run(10, 1, {});
    }
  });

  it('refuses nothing of a project with fast decisions beside one with slow ones', () => {
    const { admission, run } = simulate();
    for (let ms = 0; ms < 3_000; ms += 10) {
      const hanging = Array.from({ length: 50 }, () => admission.admit('hanging'));
      expect(run(10, 10, { healthy: 9 }).refused.healthy).toBeUndefined();
      if (ms > 400) for (const each of hanging) each?.leave(true);
    }
  });

  it('counts many slow decisions beside a few fast ones of a project as no overload', () => {
    const { admission, run } = simulate();
    for (let round = 0; round < 100; round += 1) {
      const slow = Array.from({ length: 200 }, () => admission.admit('a'));
      expect(run(30, 6, { a: 0.1 }).refused).toEqual({});
      for (const each of slow) each?.leave(true);
    }
  });

  it('keeps the limit of a project that it refuses while most of its decisions are slow', () => {
    const { admission, arrive, run } = simulate();
    const askMuch = (rounds: number) => {
      for (let round = 0; round < rounds; round += 1) {
        const slow = Array.from({ length: 400 }, () => admission.admit('a'));
        run(25, 6, {});
        for (const each of slow) each?.leave(true);
        arrive('a');
        run(5, 6, {});
      }
      return admission.state.limit;
    };
    run(1_000, 6, { a: 18 });
    run(30, 6, {});
    const limit = askMuch(10);
    expect(limit).toBeLessThan(200);
    expect(askMuch(100)).toBe(limit);
  });

  it('forgets projects that no longer ask', () => {
    const { admission, run } = simulate();
    for (let n = 0; n < 1_000; n += 1) admission.admit(`made up ${n}`)?.leave(true);
    run(300, 6, { a: 1 });
    expect(admission.state.projects).toBe(1);
  });

  it('leaves half of the decisions in flight to others, however many batches a project floods it with', () => {
    const { admission } = simulate();
    for (let n = 0; n < 64; n += 1) {
      const batch = admission.admit('flood');
      if (!batch?.countDecisions(200)) batch?.leave(false);
    }
    expect(admission.state.decisions).toBe(2_000);
    for (let n = 0; n < 48; n += 1) admission.admit('flood');
    expect(admission.admit('flood')).toBeNull();
    for (let n = 0; n < 2_048; n += 1) expect(admission.admit('other')).not.toBeNull();
  });

  it('finds an overload although quick errors stand beside the slow decisions', () => {
    const { admission, run } = simulate();
    for (let ms = 0; ms < 2_000; ms += 1) {
      const { tookMs } = run(1, 6, { a: 18 });
      if (ms >= 1_000) expect(longest(tookMs.a)).toBeLessThan(50);
      admission.admit('a')?.leave(false);
    }
  });

  it('never has more decisions in flight than the maximum, except for one batch alone', () => {
    const { admission } = simulate(4);
    const one = admission.admit('a');
    const batch = admission.admit('b');
    expect(batch?.countDecisions(4)).toBe(false);
    expect(batch?.countDecisions(3)).toBe(true);
    expect(admission.admit('c')).toBeNull();
    one?.leave(true);
    expect(batch?.countDecisions(9)).toBe(true);
    expect(admission.admit('c')).toBeNull();
    batch?.leave(true);
    expect(batch?.countDecisions(1)).toBe(false);
    expect(admission.admit('c')).not.toBeNull();
  });
});
