import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';

import { startOf, stopProcesses } from './processes.ts';

/** A program with a task in a process group of its own, as turbo has; the task ignores SIGTERM. */
async function startWithTask(atSigterm: 'ends' | 'waits') {
  const ignore = atSigterm === 'waits' ? 'trap "" TERM;' : '';
  const script = `set -m; (trap "" TERM; exec sleep 600) & ${ignore} echo $!; wait`;
  const program = spawn('bash', ['-c', script], { detached: true });
  const [line] = await once(program.stdout, 'data');
  const pid = program.pid ?? 0;
  const record = { name: 'program', pid, startedAt: startOf(pid) ?? '', graceMs: 200, stage: 2 };
  return {
    record: { ...record, signal: 'SIGTERM' as const, wholeGroup: true },
    task: Number(line),
  };
}

describe.runIf(process.platform === 'linux')(
  'a program whose tasks have groups of their own',
  () => {
    it.each(['ends', 'waits'] as const)(
      'leaves no task running when it %s at SIGTERM',
      async (how) => {
        const { record, task } = await startWithTask(how);
        expect(startOf(task)).toBeDefined();
        await stopProcesses([record]);
        expect([startOf(record.pid), startOf(task)]).toEqual([undefined, undefined]);
      },
    );
  },
);
