import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withConnection } from '@ceiba/devstack/databases';
import { freePort } from '@ceiba/devstack/ports';
import { createSupervisor, temporaryFolder } from '@ceiba/devstack/supervisor';
import { until } from './until.ts';

/** An HAProxy for one test, which distributes connections over several servers. */
export interface HaProxy {
  /** The first server's URL with the balancer's address. */
  readonly url: string;
  dispose(): Promise<void>;
}

/** Debian installs it in a folder that only root's PATH has. */
const PROGRAMS = ['haproxy', '/usr/sbin/haproxy'];

/** The HAProxy of this machine; without it, tests that need it are reported as skipped. */
export const haproxy: string | undefined = PROGRAMS.find(
  (program) => spawnSync(program, ['-v']).status === 0,
);

/** Balances without health checks, as a careless installation does. */
export async function startHaProxy(serverUrls: readonly string[]): Promise<HaProxy> {
  if (haproxy === undefined) throw new Error('there is no haproxy on this machine');
  const dataDir = temporaryFolder('ceiba-haproxy-');
  const port = await freePort();
  const configuration = join(dataDir, 'haproxy.cfg');
  const servers = serverUrls.map((url, index) => `  server s${index} ${new URL(url).host}`);
  const lines = [
    'defaults',
    '  mode tcp',
    '  timeout connect 1s',
    '  timeout client 1h',
    '  timeout server 1h',
    'listen postgres',
    `  bind 127.0.0.1:${port}`,
    '  balance roundrobin',
    ...servers,
  ];
  writeFileSync(configuration, `${lines.join('\n')}\n`);
  const supervisor = await createSupervisor({ dataDir, removeOnEnd: [dataDir] });
  const service = await supervisor.spawn({
    name: 'HAProxy',
    stage: 0,
    command: haproxy,
    args: ['-db', '-f', configuration],
  });
  const [first = ''] = serverUrls;
  const url = new URL(first);
  url.host = `127.0.0.1:${port}`;
  await until('HAProxy answers', async () => {
    if (!service.isRunning()) throw new Error(service.tail());
    return withConnection(url.href, async (sql) => (await sql`select 1`).length === 1);
  });
  return { url: url.href, dispose: () => supervisor.stop() };
}
