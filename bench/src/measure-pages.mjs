import http from 'node:http';
import { quantile } from './quantile.mjs';

const WARM_UP_REQUESTS = 20;
/** The encodings that browsers accept. */
const COMPRESSED = 'br, gzip';

/** Every page of a project at its most expensive: long ranges and full lists. */
const PAGES = {
  overview: '',
  keys: 'keys',
  'keys by use': 'keys?sort=used',
  'keys searched': 'keys?status=all&q=key+99',
  'create key': 'keys/new',
  'one key': ({ apiKeyId }) => `keys/${apiKeyId}?range=1y`,
  customers: 'customers',
  'customers searched': 'customers?q=customer+99',
  'one customer': ({ customerId }) => `customers/${customerId}`,
  plans: 'plans',
  policies: 'policies?method=GET&path=/v1/reports',
  'create policy': 'policies/new?pathPattern=/v1/reports*&path=/v1/reports',
  'one policy': ({ policyId }) => `policies/${policyId}`,
  subscription: 'subscription',
  'usage, 30 days': 'usage?range=30d',
  'usage, 400 days': ({ firstDay, lastDay }) => `usage?from=${firstDay}&to=${lastDay}`,
  simulator: 'simulator',
  'simulator, one key': ({ apiKeyId }) =>
    `simulator?apiKeyId=${apiKeyId}&method=GET&path=/v1/reports`,
  requests: 'requests',
  'denials by path': 'requests/groups',
  audit: 'audit',
  'audit searched': 'audit?q=unknown',
  alerts: 'alerts',
  members: 'members',
  settings: 'settings',
};

/**
 * Requests each page as a browser without a cache does, one request at a time.
 *
 * @param {{ consoleUrl: string, requests: number } & import('./seed-console.ts').SeededConsole} at
 * @returns {Promise<{ name: string, javascriptKb: number, p50Ms: number, p95Ms: number }[]>}
 */
export async function measurePages({ consoleUrl, requests, ...seeded }) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const cookie = await signIn(consoleUrl, seeded);
  const load = (path, encodings) =>
    read(new URL(path, consoleUrl), { agent, headers: { cookie, 'accept-encoding': encodings } });
  const rows = [];
  for (const [name, page] of Object.entries(PAGES)) {
    const path = typeof page === 'string' ? page : page(seeded);
    const address = `/projects/${seeded.projectId}/${path}`.replace(/\/$/, '');
    const times = [];
    for (let request = 0; request < WARM_UP_REQUESTS + requests; request += 1) {
      const { milliseconds } = await load(address, COMPRESSED);
      if (request >= WARM_UP_REQUESTS) times.push(milliseconds);
    }
    const javascriptKb = await javascriptOf(address, load);
    const [p50Ms, p95Ms] = [0.5, 0.95].map((share) => tenths(quantile(times, share)));
    rows.push({ name, javascriptKb, p50Ms, p95Ms });
  }
  agent.destroy();
  return rows;
}

/**
 * The compressed size in kB (of 1,000 bytes) of all scripts that a page names, in its elements or in
 * the data of React, except the one for browsers without modules.
 */
async function javascriptOf(address, load) {
  const html = (await load(address, 'identity')).body.toString();
  const legacy = html.match(/<script[^>]* nomodule[^>]*>/i)?.[0] ?? '';
  const named = new Set(html.match(/\/_next\/static\/[\w./~-]+\.js/g));
  const scripts = [...named].filter((script) => !legacy.includes(script));
  if (scripts.length === 0) throw new Error(`${address} names no script`);
  let bytes = 0;
  for (const script of scripts) {
    bytes += (await load(script, COMPRESSED)).body.length;
  }
  return Math.round(bytes / 100) / 10;
}

const tenths = (ms) => Math.round(ms * 10) / 10;

/** Signs in with a password and returns the session cookie. */
async function signIn(consoleUrl, { email, password }) {
  const token = await fetch(new URL('/api/auth/csrf', consoleUrl));
  const { csrfToken } = await token.json();
  const answer = await fetch(new URL('/api/auth/callback/credentials', consoleUrl), {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: consoleUrl, cookie: cookiesOf(token) },
    body: new URLSearchParams({ csrfToken, json: 'true', email, password }),
  });
  const cookie = cookiesOf(answer);
  if (!cookie.includes('session-token=')) throw new Error(`signing in: ${answer.status}`);
  return cookie;
}

const cookiesOf = (answer) =>
  answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');

/**
 * Reads one answer to its last byte, still compressed.
 *
 * @returns {Promise<{ body: Buffer, milliseconds: number }>}
 */
function read(url, options) {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const request = http.get(url, options, (answer) => {
      const chunks = [];
      answer.on('error', reject);
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('end', () => {
        const milliseconds = performance.now() - startedAt;
        if (answer.statusCode === 200) resolve({ body: Buffer.concat(chunks), milliseconds });
        else reject(new Error(`${url.pathname} answered ${answer.statusCode}`));
      });
    });
    request.on('error', reject);
  });
}
