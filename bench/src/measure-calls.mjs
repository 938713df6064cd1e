import http from 'node:http';
import { cpuMsOf } from './processes.mjs';
import { quantile } from './quantile.mjs';

const WARM_UP_REQUESTS_MAX = 20;

/**
 * @typedef {object} Calls
 * @property {string} name
 * @property {(n: number) => string} path of the nth request
 *
 * @typedef {object} Measured
 * @property {string} name
 * @property {number} p50Ms to the last byte
 * @property {number} p95Ms
 * @property {number} failed how many were answered with 5xx
 * @property {number} serverCpuMs per request; NaN where the system does not report it, as the next
 * @property {number} postgresCpuMs
 */

/**
 * Sends the requests of each, one at a time, over one connection.
 *
 * @param {string} url
 * @param {{ calls: Calls[], headers: Record<string, string>, requests: number,
 *   pids: { server: number, postgres: number } }} what
 * @returns {Promise<Measured[]>}
 */
export async function measureCalls(url, { calls, headers, requests, pids }) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const rows = [];
  for (const { name, path } of calls) {
    const load = (n) => read(new URL(path(n), url), { agent, headers });
    for (let n = 0; n < Math.min(requests, WARM_UP_REQUESTS_MAX); n += 1) await load(n);
    const before = cpuMsOf(pids);
    const times = [];
    let failed = 0;
    for (let n = 0; n < requests; n += 1) {
      const { status, milliseconds } = await load(n);
      times.push(milliseconds);
      if (status >= 500) failed += 1;
    }
    const after = cpuMsOf(pids);
    const [p50Ms, p95Ms] = [0.5, 0.95].map((share) => quantile(times, share));
    const cpuOf = (process) => (after[process] - before[process]) / requests;
    rows.push({
      name,
      p50Ms,
      p95Ms,
      failed,
      serverCpuMs: cpuOf('server'),
      postgresCpuMs: cpuOf('postgres'),
    });
  }
  agent.destroy();
  return rows;
}

/**
 * Reads one answer to its last byte, still compressed.
 *
 * @param {URL} url
 * @param {http.RequestOptions} options
 * @returns {Promise<{ status: number, milliseconds: number }>}
 * @throws {Error} where the answer is neither 200 nor 5xx
 */
function read(url, options) {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const request = http.get(url, options, (answer) => {
      answer.on('error', reject);
      answer.resume().on('end', () => {
        const milliseconds = performance.now() - startedAt;
        const { statusCode: status } = answer;
        if (status === 200 || status >= 500) resolve({ status, milliseconds });
        else reject(new Error(`${url.pathname} answered ${status}`));
      });
    });
    request.on('error', reject);
  });
}
