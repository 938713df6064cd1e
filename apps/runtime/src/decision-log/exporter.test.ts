import type { NewDecision } from '@ceiba/schema';
import { afterEach, describe, expect, it } from 'vitest';
import { DecisionExporter, type DecisionExporterOptions } from './exporter.ts';

const decision = (n: number) => ({ decisionId: String(n) }) as NewDecision;

/** An exporter that sends only when a test flushes it, and what its receiver got. */
class Bench {
  readonly sent: string[][] = [];
  readonly warnings: unknown[][] = [];
  opened = 0;
  nowMs = 0;
  /** Thrown by the next sends, one each. */
  failures: Error[] = [];
  readonly exporter: DecisionExporter;

  constructor(options: Partial<DecisionExporterOptions> = {}) {
    this.exporter = new DecisionExporter({
      open: async () => {
        this.opened += 1;
        return {
          send: async (decisions) => {
            const failure = this.failures.shift();
            if (failure !== undefined) throw failure;
            this.sent.push(decisions.map(({ decisionId }) => decisionId));
          },
          close: async () => {},
        };
      },
      now: () => this.nowMs,
      log: { info() {}, warn: (...line: unknown[]) => void this.warnings.push(line) },
      limits: { waiting: 3, perRequest: 2 },
      intervalMs: 3_600_000,
      ...options,
    });
  }

  add(count: number) {
    for (let n = 1; n <= count; n += 1) this.exporter.add(decision(n));
  }

  get lost() {
    return this.warnings.flatMap(([first]) =>
      typeof first === 'object' && first !== null && 'lost' in first ? [first.lost] : [],
    );
  }
}

const benches: Bench[] = [];
const bench = (options?: Partial<DecisionExporterOptions>) => {
  const made = new Bench(options);
  benches.push(made);
  return made;
};
afterEach(async () => {
  for (const { exporter } of benches.splice(0)) await exporter.stop();
});

describe('the export of decisions', () => {
  it('sends what waits, in order, some at a time', async () => {
    const one = bench();
    one.add(3);
    await one.exporter.flushNow();
    expect(one.sent).toEqual([['1', '2'], ['3']]);
    expect(one.lost).toEqual([]);
  });

  it('opens nothing until there is a decision, and opens once', async () => {
    const one = bench();
    await one.exporter.flushNow();
    expect(one.opened).toBe(0);
    for (let n = 0; n < 2; n += 1) {
      one.add(1);
      await one.exporter.flushNow();
    }
    expect(one.opened).toBe(1);
  });

  it('keeps no more than its bound, and says how many were lost', async () => {
    const one = bench();
    one.add(10);
    await one.exporter.flushNow();
    expect(one.sent.flat()).toEqual(['1', '2', '3']);
    expect(one.lost).toEqual([7]);
  });

  it('loses what the receiver refuses, says how many, and goes on', async () => {
    const one = bench();
    one.failures = [new Error('refused')];
    one.add(3);
    await one.exporter.flushNow();
    await one.exporter.flushNow();
    expect(one.sent).toEqual([['3']]);
    expect(one.lost).toEqual([2]);
  });

  it('says it at most once a minute, and adds up what was lost meanwhile', async () => {
    const one = bench();
    for (let n = 0; n < 3; n += 1) {
      one.add(4);
      await one.exporter.flushNow();
      one.nowMs += 40_000;
    }
    expect(one.lost).toEqual([1, 2]);
  });

  it('sends what waits and reports what was lost when the Runtime stops', async () => {
    const one = bench();
    one.add(1);
    await one.exporter.stop();
    expect(one.sent).toEqual([['1']]);
    const other = bench();
    other.failures = [new Error('refused')];
    other.add(3);
    await other.exporter.stop();
    expect(other.lost).toEqual([3]);
    const hanging = { send: () => new Promise<void>(() => {}), close: async () => {} };
    const third = bench({ open: async () => hanging, stopBudgetMs: 1 });
    third.add(2);
    await third.exporter.stop();
    expect(third.lost).toEqual([2]);
  });
});
