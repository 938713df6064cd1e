import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { cpuMsOf } from '../../bench/src/processes.mjs';

const serverFile = fileURLToPath(
  new URL('../../apps/console/.next/standalone/apps/console/server.js', import.meta.url),
);

export interface ConsoleProcess {
  readonly url: string;
  /** Its log so far. */
  log(): string;
  /** The CPU time that it has used, in ms, in steps of 10; NaN on a system other than Linux. */
  cpuMs(): number;
  stop(): Promise<void>;
}

/**
 * Starts the built console with these settings on a free port. Resolves once it answers.
 *
 * @param within a command that runs the program, such as the one of `readOnly`
 */
export async function startConsole(
  settings: Record<string, string>,
  within: readonly string[] = [],
): Promise<ConsoleProcess> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const [command = '', ...args] = [...within, process.execPath, serverFile];
  const child = spawn(command, args, {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      PORT: String(port),
      HOSTNAME: '127.0.0.1',
      CONSOLE_PORT: String(port),
      NEXTAUTH_SECRET: 'a secret of this test alone, 32 characters or more',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  }
  await untilAnswering(child, `http://127.0.0.1:${port}/api/version`, () => log);
  return {
    url,
    log: () => log,
    cpuMs: () => cpuMsOf({ console: child.pid ?? 0 }).console,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

async function untilAnswering(child: ChildProcess, url: string, log: () => string): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (Date.now() < deadline && child.exitCode === null) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`The console did not start:\n${log()}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
