import type { NewDecision } from '@ceiba/schema';
import type { LogRecordExporter } from '@opentelemetry/sdk-logs';
import { expect, it, vi } from 'vitest';
import { DecisionExporter } from './exporter.ts';

const PROJECT = '0190a0b0-0000-7000-8000-000000000000';
const decision = (n: number) =>
  ({ projectId: PROJECT, decisionId: String(n), method: 'GET', outcome: 'allowed' }) as NewDecision;

/** An exporter with room for three decisions, its receiver, and what it logged. */
async function openBench({ hangs = false } = {}) {
  const sent: unknown[][] = [];
  const lost: unknown[] = [];
  const failures: Error[] = [];
  /** The answers that a receiver that hangs has not given. */
  const owed: (() => void)[] = [];
  let nowMs = 0;
  const receiver: LogRecordExporter = {
    export(records, done): unknown {
      if (hangs) return owed.push(() => done({ code: 1 }));
      const error = failures.shift();
      if (error) return done({ code: 1, error });
      sent.push(records.map(({ attributes }) => attributes['ceiba.decision.id']));
      done({ code: 0 });
    },
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const exporter = await DecisionExporter.open({
    receiver,
    now: () => nowMs,
    log: {
      info() {},
      warn: (line: { lost?: number }) => void (line.lost && lost.push(line.lost)),
    } as never,
    limits: { waiting: 3, perRequest: 2, pauseMs: 1 },
    stopBudgetMs: hangs ? 1 : 1_000,
  });
  const add = (count: number) => {
    for (let n = 1; n <= count; n += 1) exporter.add(decision(n));
  };
  const passed = () => vi.waitFor(() => expect(exporter.waiting).toBe(0));
  return { exporter, sent, lost, failures, owed, add, passed, wait: (ms: number) => (nowMs += ms) };
}

it('sends what waits, in order, some at a time', async () => {
  const { exporter, sent, lost, add, passed } = await openBench();
  add(3);
  await passed();
  expect(sent).toEqual([['1', '2'], ['3']]);
  await exporter.stop();
  expect(lost).toEqual([]);
});

it('keeps no more than its bound, logs the losses at most once a minute, and adds up the rest', async () => {
  const { exporter, lost, add, passed, wait } = await openBench();
  for (let n = 0; n < 3; n += 1) {
    add(4);
    await passed();
    wait(40_000);
  }
  expect(lost).toEqual([1, 2]);
  expect(exporter.lost).toBe(3);
  await exporter.stop();
});

it('loses what the receiver refuses, says how many, and goes on', async () => {
  const { exporter, sent, lost, failures, add, passed } = await openBench();
  failures.push(new Error('refused'));
  add(3);
  await passed();
  expect(sent).toEqual([['3']]);
  expect(lost).toEqual([2]);
  await exporter.stop();
});

it('sends what waits when the Runtime stops, and reports what a receiver that hangs has lost', async () => {
  const one = await openBench();
  one.add(1);
  await one.exporter.stop();
  expect(one.sent).toEqual([['1']]);
  const other = await openBench({ hangs: true });
  other.add(2);
  await other.exporter.stop();
  expect(other.lost).toEqual([2]);
  // What it answers after that changes no number.
  for (const answer of other.owed) answer();
  expect([other.exporter.waiting, other.exporter.lost]).toEqual([0, 2]);
  expect(other.owed).toHaveLength(1);
});

it('makes no record while a decision waits for its answer', async () => {
  const { exporter, add, sent, passed } = await openBench();
  const read = vi.fn();
  exporter.add(Object.defineProperty(decision(1), 'path', { enumerable: true, get: read }));
  expect(read).not.toHaveBeenCalled();
  add(1);
  await passed();
  expect(read).toHaveBeenCalled();
  expect(sent.flat()).toEqual(['1', '1']);
  await exporter.stop();
});

it('loses one decision of which no record can be made, and sends the others', async () => {
  const { exporter, sent, add, passed } = await openBench();
  const faulty = Object.defineProperty(decision(0), 'path', {
    get() {
      throw new Error('a bug');
    },
  });
  exporter.add(faulty);
  add(1);
  await passed();
  expect([sent, exporter.lost]).toEqual([[['1']], 1]);
  await exporter.stop();
});
