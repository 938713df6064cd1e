import { createDatabase } from '@ceiba/devstack/databases';
import { freePort } from '@ceiba/devstack/ports';
import { migrate, startRuntime } from '@ceiba/devstack/programs';
import { loopback } from '@ceiba/devstack/settings';

/**
 * Runs `work` with a database and a Runtime of its own, several of which can run side by side.
 *
 * @template T
 * @param {import('@ceiba/devstack/supervisor').Supervisor} supervisor
 * @param {import('@ceiba/devstack/services').Services} servers
 * @param {(own: { databaseUrl: string, redisUrl: string, url: string, pid: number }) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withRuntime(supervisor, servers, work) {
  const database = await createDatabase(servers.databaseUrl, { prefix: 'ceiba_bench' });
  const services = { ...servers, databaseUrl: database.url };
  try {
    await migrate(supervisor, services);
    const url = `http://${loopback}:${await freePort()}`;
    const metricsUrl = `http://${loopback}:${await freePort()}`;
    const addresses = { runtimeUrl: url, metricsUrl };
    const { pid, stop } = await startRuntime(supervisor, services, addresses);
    const result = await work({ ...services, url, pid });
    await stop();
    return result;
  } finally {
    await database.drop();
  }
}

/**
 * @param {string} url of a Runtime
 * @param {{ projectSecret: string }} project
 * @param {string} projectId or `{projectId}`, which each line replaces
 * @param {number} [perRequest]
 */
export const decisionsOf = (url, { projectSecret }, projectId, perRequest = 1) => ({
  url,
  path: `/rt/projects/${projectId}/authorize${perRequest === 1 ? '' : '/batch'}`,
  headers: { 'x-service-project-secret': projectSecret },
  perRequest,
  marker: '"allowed":true',
});
