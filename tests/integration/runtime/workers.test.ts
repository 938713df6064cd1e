/** `RUNTIME_WORKERS`: several processes behind one port. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type RunningRuntime, startRuntime } from '../../support/runtime.ts';
import { QUESTION } from '../../support/scenario.ts';
import { isRunning, workersStartedBy } from '../../support/workers.ts';
import { PATIENT, startWorld } from './setup.ts';

const { world, databaseUrl, redisUrl } = await startWorld();
const PATIENTLY = { interval: 50, timeout: 20_000 };

const start = (settings: Record<string, string>) =>
  startRuntime({ databaseUrl, redisUrl, settings: { ...PATIENT, ...settings } });

/** @returns asks over a connection of its own, and returns the status */
async function asker(runtime: RunningRuntime): Promise<() => Promise<number>> {
  const project = await world.createProject();
  const { plaintext } = await project.createKey();
  return async () => {
    const reply = await fetch(`${runtime.url}/rt/projects/${project.projectId}/authorize`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-service-project-secret': project.secret,
        connection: 'close',
      },
      body: JSON.stringify({ ...QUESTION, apiKey: plaintext }),
    });
    await reply.arrayBuffer();
    return reply.status;
  };
}

/** The workers that have logged this message. */
const workersThatLogged = (runtime: RunningRuntime, message: string) =>
  new Set(
    runtime
      .stdout()
      .split('\n')
      .filter((line) => line.includes(`"${message}"`))
      .map((line) => JSON.parse(line).worker as number),
  );

describe('a Runtime with two workers', () => {
  it('decides in both of them, on one port, and exits 0 when it is stopped', async () => {
    const runtime = await start({ RUNTIME_WORKERS: '2', LOG_LEVEL: 'debug' });
    try {
      const ask = await asker(runtime);
      const deciders = async () => {
        expect(await Promise.all(Array.from({ length: 16 }, ask))).toEqual(Array(16).fill(200));
        return workersThatLogged(runtime, 'decision');
      };
      await expect.poll(deciders, PATIENTLY).toEqual(new Set([1, 2]));
    } finally {
      expect(await runtime.stop()).toBe('exited with code 0');
    }
    expect(workersStartedBy(runtime).filter(isRunning)).toEqual([]);
  });

  it('leaves no worker behind when the primary is killed', async () => {
    const runtime = await start({ RUNTIME_WORKERS: '2' });
    const pids = workersStartedBy(runtime);
    runtime.kill('SIGKILL');
    await expect.poll(() => pids.filter(isRunning), PATIENTLY).toEqual([]);
    await runtime.stop();
  });

  it('exits 1 and says why where it cannot listen', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const starting = start({ RUNTIME_WORKERS: '2', RUNTIME_PORT: String(port) });
    await expect(starting).rejects.toThrow(/EADDRINUSE[\s\S]*a worker could not start/);
    other.close();
  });

  it('starts no worker with a wrong setting, and names the setting once', async () => {
    const starting = start({ RUNTIME_WORKERS: '2', LOG_LEVEL: 'loud' });
    const error = await starting.then(String, String);
    expect(error.match(/LOG_LEVEL: must/g)).toHaveLength(1);
    expect(error).not.toContain('started a worker');
  });
});

it('a Runtime with one worker is one process', async () => {
  const runtime = await start({ RUNTIME_WORKERS: '1' });
  expect(workersStartedBy(runtime)).toEqual([]);
  expect(runtime.stdout()).not.toContain('"worker"');
  await runtime.stop();
});
