import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

import { freePort } from './ports.ts';
import { startRuntime } from './programs.ts';
import { createSupervisor, temporaryFolder } from './supervisor.ts';

const services = { databaseUrl: '', redisUrl: '', isRealRedis: true };

/** Starts a program that gives these answers to questions whether it is ready, and then the last again. */
async function startAnswering(statuses: readonly number[]) {
  const dataDir = temporaryFolder('ceiba-programs-');
  const supervisor = await createSupervisor({ dataDir, removeOnEnd: [dataDir] });
  onTestFinished(() => supervisor.stop());
  const program = join(dataDir, 'program.mjs');
  writeFileSync(
    program,
    `import { createServer } from 'node:http';
    const statuses = ${JSON.stringify(statuses)};
    createServer((_, response) => {
      const status = statuses.length > 1 ? statuses.shift() : statuses[0];
      if (status === 0) process.exit(3);
      response.writeHead(status).end();
    }).listen(process.env.RUNTIME_PORT, '127.0.0.1');`,
  );
  const runtimeUrl = `http://127.0.0.1:${await freePort()}`;
  return startRuntime(supervisor, services, { runtimeUrl }, { program });
}

it('has started once it was ready, although a busy machine makes it late the next time', async () => {
  const service = await startAnswering([503, 200, 503]);
  expect(service.isRunning()).toBe(true);
});

it('has not started where it ends before it was ready', async () => {
  await expect(startAnswering([503, 0])).rejects.toThrow('Runtime exited with code 3.');
});
