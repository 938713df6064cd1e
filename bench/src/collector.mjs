import { createServer } from 'node:http';
import { loopback } from '@ceiba/devstack/settings';

/** Takes every trace, in this process, whose CPU time is not counted. */
export async function startCollector() {
  const server = createServer((incoming, outgoing) => {
    incoming.resume().on('end', () => outgoing.end());
  });
  await new Promise((resolve) => server.listen(0, loopback, () => resolve(undefined)));
  return {
    url: `http://${loopback}:${server.address().port}/v1/traces`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
