import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type Caller, createCaller } from './caller.ts';

/** Measures how late a plain timer of another process is, as seen by this process. */
export interface Control {
  /** The worst lateness since the last call of this method, in ms. */
  worstLatenessMs(): number;
  stop(): Promise<void>;
}

const TIMER_MS = 500;
const EVERY_MS = 50;

/** Answers each request after half a second; if it is later, the machine is slow. */
const SERVER = `
  const server = require('node:http').createServer((_, reply) =>
    setTimeout(() => reply.end(), ${TIMER_MS}));
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
  process.stdin.resume().once('end', () => process.exit());
`;

/**
 * Measures the machine at the same time and in the same way as the Runtime. A bound on the Runtime's
 * time is judged only if the machine ran the timer in time.
 */
export async function startControl(): Promise<Control> {
  const child = spawn(process.execPath, ['-e', SERVER], { stdio: ['pipe', 'pipe', 'ignore'] });
  const [port] = await once(createInterface(child.stdout), 'line');
  const caller: Caller = createCaller(`http://127.0.0.1:${port}`);
  let worst = 0;
  const measure = async () => {
    const startedAtMs = performance.now();
    await caller.call('GET', '/');
    worst = Math.max(worst, performance.now() - startedAtMs - TIMER_MS);
  };
  const timer = setInterval(measure, EVERY_MS);
  return {
    worstLatenessMs() {
      const value = worst;
      worst = 0;
      return value;
    },
    async stop() {
      clearInterval(timer);
      caller.close();
      const exited = once(child, 'exit');
      child.stdin.end();
      await exited;
    },
  };
}
