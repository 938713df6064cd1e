import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ADAPTERS } from './support/hosts.ts';
import type { LeakReport } from './support/leak-probe.ts';

const PROBE = fileURLToPath(new URL('./support/leak-probe.ts', import.meta.url));
const REQUESTS = 10_000;
/** As much as a leak of two hundred bytes per request. */
const HEAP_GROWTH_BYTES = 2 * 1024 * 1024;

const run = promisify(execFile);

describe.each(Object.keys(ADAPTERS))('10,000 requests through %s', (adapter) => {
  it('leak no socket, listener, timer or memory after any answer of the Runtime', async () => {
    // Node exits when nothing is open; with a leak, the process runs into the timeout.
    const { stdout } = await run(
      process.execPath,
      ['--expose-gc', '--import', 'tsx', PROBE, adapter, String(REQUESTS)],
      { timeout: 170_000 },
    );
    const report: LeakReport = JSON.parse(stdout);
    const answered = Object.values(report.statuses).reduce((sum, count) => sum + count, 0);
    expect(answered).toBe(REQUESTS);
    expect(Object.keys(report.statuses)).toEqual(['200', '429', '500', '502', '503']);
    expect(report.heapGrowthBytes).toBeLessThan(HEAP_GROWTH_BYTES);
    expect(report.mostConnections).toBeLessThanOrEqual(50);
    expect(report).toMatchObject({ connectionsLeft: 0, listenersLeft: 0 });
    // The client's own warnings name the failures that the probe provokes; Node's would be leaks.
    expect(report.warnings.filter((warning) => !warning.startsWith('CeibaWarning'))).toEqual([]);
  }, 180_000);
});
