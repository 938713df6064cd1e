import { measureCalls } from './measure-calls.mjs';

/** The encodings that browsers accept. */
const COMPRESSED = 'br, gzip';

/**
 * Every page at its most expensive, long ranges and full lists, below the project's address where it does
 * not begin with a slash; `nth` picks another customer and key for each request.
 *
 * @type {Record<string, (nth: import('./seed-console.ts').SeededConsole & {
 *   customer: import('./seed-console.ts').SeededConsole['customers'][number],
 *   apiKey: import('./seed-console.ts').SeededConsole['apiKeys'][number] }) => string>}
 */
const PAGES = {
  projects: () => '/projects',
  overview: () => '',
  keys: () => 'keys',
  'keys, all': () => 'keys?status=all',
  'keys, from the middle': ({ apiKey }) => `keys?status=all&cursor=after.${apiKey.id}`,
  'keys, archived': () => 'keys?status=archived',
  'keys, idle': () => 'keys?hint=idle',
  'keys of a customer': ({ customer }) => `keys?status=all&customer=${customer.id}`,
  'keys by use': () => 'keys?sort=used',
  'keys by last use': () => 'keys?sort=last_used',
  'keys by name': () => 'keys?sort=name',
  'keys by expiry': () => 'keys?sort=expires',
  'keys searched': ({ apiKey }) => `keys?status=all&q=${encodeURIComponent(apiKey.name.slice(1))}`,
  'keys by a frequent word': () => 'keys?status=all&q=key',
  'create key': () => 'keys/new',
  'one key': ({ apiKey }) => `keys/${apiKey.id}?range=1y`,
  customers: () => 'customers',
  'customers, from the middle': ({ customer }) => `customers?cursor=after.${customer.id}`,
  'customers, suspended': () => 'customers?status=suspended',
  'customers searched': ({ customer }) => `customers?q=${customer.externalId.slice(3)}`,
  'customers by a frequent word': () => 'customers?q=customer',
  'one customer': ({ customer }) => `customers/${customer.id}`,
  plans: () => 'plans',
  policies: () => 'policies?method=GET&path=/v1/reports',
  'create policy': () => 'policies/new?pathPattern=/v1/reports*&path=/v1/reports',
  'one policy': ({ policyId }) => `policies/${policyId}`,
  subscription: () => 'subscription',
  'usage, 30 days': () => 'usage?range=30d',
  'usage, 400 days': ({ firstDay, lastDay }) => `usage?from=${firstDay}&to=${lastDay}`,
  'usage by key': () => 'usage?range=30d&by=key',
  'usage by customer': () => 'usage?range=30d&by=customer',
  'usage by policy': () => 'usage?range=30d&by=policy',
  simulator: () => 'simulator',
  'simulator, one key': ({ apiKey }) =>
    `simulator?apiKeyId=${apiKey.id}&method=GET&path=/v1/reports`,
  requests: () => 'requests',
  'denials by path': () => 'requests/groups',
  audit: () => 'audit',
  'audit searched': () => 'audit?q=unknown',
  alerts: () => 'alerts',
  members: () => 'members',
  settings: () => 'settings',
  'find a key': ({ apiKey }) => `/find?q=${apiKey.prefix}`,
  'find a customer': ({ customer }) => `/find?q=${customer.externalId}`,
  'find a frequent word': () => '/find?q=key',
  'find nothing': () => '/find?q=nowhere',
};

/**
 * Requests each page as a browser without a cache does, one request at a time.
 *
 * @param {{ consoleUrl: string, requests: number, pids: { server: number, postgres: number } }
 *   & import('./seed-console.ts').SeededConsole} at
 * @returns {Promise<import('./measure-calls.mjs').Measured[]>}
 */
export async function measurePages({ consoleUrl, requests, pids, ...seeded }) {
  const cookie = await signIn(consoleUrl, seeded);
  const { projectId, customers, apiKeys } = seeded;
  const pathOf = (page) => (n) => {
    const nth = { customer: customers[n % customers.length], apiKey: apiKeys[n % apiKeys.length] };
    const path = page({ ...seeded, ...nth });
    return path.startsWith('/') ? path : `/projects/${projectId}/${path}`.replace(/\/$/, '');
  };
  const pages = Object.entries(PAGES).map(([name, page]) => ({ name, path: pathOf(page) }));
  return measureCalls(consoleUrl, {
    calls: [{ name: 'control: ready', path: () => '/api/ready' }, ...pages],
    headers: { cookie, 'accept-encoding': COMPRESSED },
    requests,
    pids,
  });
}

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
