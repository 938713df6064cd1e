import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Logger } from '@ceiba/process/log';
import { Registry } from 'prom-client';
import type { Settings } from '../env.ts';

/** The second is for tools that read the address of the port itself. */
const ADDRESSES = ['/metrics', '/'];

/**
 * Answers `GET /metrics`, and `GET /` the same, on a port of its own: the port of the decisions is for
 * hosts, which have no business here. Resolves once it listens, and at once where the port is off.
 *
 * @throws Error when it cannot listen
 */
export async function openMetricsPort(
  { METRICS_HOST: host, METRICS_PORT: port }: Settings,
  log: Pick<Logger, 'info' | 'error'>,
  read: () => Promise<string>,
): Promise<void> {
  if (port === 'off') return;
  const server = createServer(async ({ method, url = '' }, outgoing) => {
    if (method !== 'GET' || !ADDRESSES.includes(url)) return outgoing.writeHead(404).end();
    try {
      const text = await read();
      outgoing.writeHead(200, { 'content-type': Registry.PROMETHEUS_CONTENT_TYPE }).end(text);
    } catch (error) {
      log.error({ err: error }, 'the metrics could not be read');
      outgoing.writeHead(500).end();
    }
  });
  server.listen(port, host);
  await once(server, 'listening');
  log.info({ address: server.address() }, 'the Runtime listens for Prometheus');
}
