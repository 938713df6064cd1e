import { describe, expect, it, vi } from 'vitest';
import { UnavailableError } from '../unavailable.ts';
import type { UsageFact } from './facts.ts';
import { UsageFlusher } from './flusher.ts';
import { UsageLedger } from './ledger.ts';
import { REFUSED, type RecordUsage } from './record.ts';

const month = (scope: string, count: number): UsageFact => ({
  kind: 'month',
  projectId: 'p',
  month: 1,
  scope,
  incarnation: 'i',
  count,
});

const known = { knownProjectIds: new Set(['p']) };

async function start(recordUsage: RecordUsage) {
  const ledger = new UsageLedger();
  const log = { info: vi.fn(), warn: vi.fn() };
  const flusher = new UsageFlusher({ ledger, recordUsage, log, intervalMs: 3_600_000 });
  await flusher.task.runNow();
  return { ledger, log, flusher };
}

describe('the flusher', () => {
  it('keeps everything while Postgres is down, and logs once that it fails and once that it works again', async () => {
    let down = true;
    const written: number[] = [];
    const { ledger, log, flusher } = await start(async ({ months }) => {
      if (down) throw new UnavailableError('database', 'down');
      written.push(...months.map((row) => row.count));
      return known;
    });
    ledger.keep(month('project', 3));
    for (let i = 0; i < 5; i++) await flusher.task.runNow();
    expect(ledger.size).toBe(1);
    down = false;
    ledger.keep(month('project', 4));
    for (let i = 0; i < 5; i++) await flusher.task.runNow();
    expect(written).toEqual([4]);
    expect(ledger.size).toBe(0);
    expect(log.warn).toHaveBeenCalledTimes(1);
    expect(log.info).toHaveBeenCalledTimes(1);
    await flusher.task.stop();
  });

  it('never flushes twice at once, and keeps a number that grew during a flush', async () => {
    let inFlight = 0;
    let most = 0;
    const { ledger, flusher } = await start(async () => {
      most = Math.max(most, ++inFlight);
      ledger.keep(month('project', 2));
      await new Promise((resolve) => setImmediate(resolve));
      inFlight -= 1;
      return known;
    });
    ledger.keep(month('project', 1));
    const flushes = [flusher.task.runNow(), flusher.task.runNow()];
    await flushes[0];
    expect(ledger.pending()).toEqual([month('project', 2)]);
    await flushes[1];
    expect(most).toBe(1);
    await flusher.task.stop();
  });

  it('retries a rejected row only occasionally, and writes the others at once', async () => {
    let calls = 0;
    const { ledger, flusher } = await start(async ({ months }) => {
      calls += 1;
      if (months.some((row) => row.scope === 'bad')) throw new Error('refused');
      return known;
    });
    ledger.keep(month('bad', 1));
    ledger.keep(month('good', 1));
    await flusher.task.runNow();
    expect(ledger.pending()).toEqual([month('bad', 1)]);
    const before = calls;
    for (let i = 0; i < 50; i++) await flusher.task.runNow();
    expect(calls).toBe(before);
    for (let i = 0; i < 20; i++) await flusher.task.runNow();
    expect(calls).toBe(before + 1);
    await flusher.task.stop();
  });

  it('fails until Postgres takes each row, also in flushes that do not retry a rejected one', async () => {
    const refusal = new Error('permission denied');
    let isRefused = true;
    const { ledger, log, flusher } = await start(async () => {
      if (isRefused) throw refusal;
      return known;
    });
    ledger.keep(month('project', 1));
    for (let i = 0; i < 60; i++) await flusher.task.runNow();
    const failing = new Error(REFUSED, { cause: refusal });
    expect(log.warn.mock.calls).toEqual([
      [{ err: refusal, rows: 1 }, REFUSED],
      [{ err: failing }, 'writing usage to Postgres is failing'],
    ]);
    expect(log.info).not.toHaveBeenCalled();
    isRefused = false;
    await flusher.task.runNow();
    expect(log.info.mock.calls).toEqual([['writing usage to Postgres works again']]);
    await flusher.task.stop();
  });

  it('writes last uses in every third flush, and when it is stopped', async () => {
    const written: number[] = [];
    const { ledger, flusher } = await start(async ({ lastUsed }) => {
      written.push(...lastUsed.map(({ at }) => at.getTime()));
      return known;
    });
    const use = (at: number) =>
      ledger.keep({ kind: 'lastUse', projectId: 'p', apiKeyId: 'k', count: at });
    for (let at = 1; at <= 8; at++) {
      use(at);
      await flusher.task.runNow();
    }
    expect(written).toEqual([1, 4, 7]);
    use(9);
    await flusher.task.stop();
    expect(written).toEqual([1, 4, 7, 9]);
  });

  it('logs what is left when it is stopped while Postgres is down', async () => {
    const outage = new UnavailableError('database', 'down');
    const { ledger, log, flusher } = await start(() => Promise.reject(outage));
    ledger.keep(month('project', 1));
    await flusher.task.stop();
    expect(log.warn.mock.calls).toEqual([
      [{ err: outage, left: 1 }, 'writing usage to Postgres did not finish'],
    ]);
  });

  it('flushes a last time when it is stopped', async () => {
    const written: string[] = [];
    const { ledger, flusher } = await start(async ({ months }) => {
      written.push(...months.map((row) => row.scope));
      return known;
    });
    ledger.keep(month('project', 1));
    await flusher.task.stop();
    expect(written).toEqual(['project']);
  });
});
