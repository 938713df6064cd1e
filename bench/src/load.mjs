import autocannon from 'autocannon';

/**
 * Sends load to one URL and summarises the answers.
 *
 * @param {object} target
 * @param {string} target.url
 * @param {Record<string, string>} target.headers
 * @param {() => string} target.nextBody a fresh JSON body for each request
 * @param {(status: number, body: string) => boolean} target.isExpected
 * @param {number} target.connections
 * @param {number} [target.seconds] how long, or
 * @param {number} [target.requests] how many requests in all
 * @returns {Promise<{ perSecond: number, p50Ms: number, p99Ms: number, unexpected: number }>}
 */
export async function putLoad({
  url,
  headers,
  nextBody,
  isExpected,
  connections,
  seconds,
  requests,
}) {
  let unexpected = 0;
  const instance = autocannon({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    connections,
    ...(requests === undefined ? { duration: seconds } : { amount: requests }),
    requests: [
      {
        method: 'POST',
        setupRequest: (request) => ({ ...request, body: nextBody() }),
        onResponse: (status, body) => {
          if (!isExpected(status, body)) unexpected += 1;
        },
      },
    ],
  });
  const result = await instance;
  return {
    perSecond: result.requests.average,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    unexpected: unexpected + result.errors + result.timeouts,
  };
}

/** @param {number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
