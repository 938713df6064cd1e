import http from 'node:http';

const ATTEMPTS = 5;

/**
 * Asks for each key once, in batches; what was not answered as expected is asked again.
 *
 * @param {{ url: string, path: string, headers: Record<string, string>, perRequest: number }} target
 * @param {readonly string[]} keys
 * @param {number} connections
 * @returns {Promise<number>} Keys whose answer was not the expected one in five attempts.
 */
export async function askForEach(target, keys, connections) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  let next = 0;
  let unexpected = 0;
  const ask = async () => {
    while (next < keys.length) {
      const batch = keys.slice(next, next + target.perRequest);
      next += batch.length;
      unexpected += (await refusedOf(agent, target, batch)).length;
    }
  };
  await Promise.all(Array.from({ length: connections }, ask));
  agent.destroy();
  return unexpected;
}

async function refusedOf(agent, target, batch) {
  let refused = batch;
  for (let attempt = 0; attempt < ATTEMPTS && refused.length > 0; attempt += 1) {
    const { results = [] } = JSON.parse(await post(agent, target, refused));
    refused = refused.filter((_, index) => results[index]?.decision?.allowed !== true);
  }
  return refused;
}

function post(agent, { url, path, headers }, apiKeys) {
  const requests = apiKeys.map((apiKey) => ({ apiKey, method: 'GET', path: '/v1/reports/42' }));
  const body = JSON.stringify({ requests });
  const all = {
    ...headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  return new Promise((resolve, reject) => {
    const request = http.request(url + path, { agent, method: 'POST', headers: all }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => resolve(text));
      answer.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}
