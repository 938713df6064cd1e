import { measureCalls } from './measure-calls.mjs';

/**
 * The Runtime's lists, and reads of single customers and keys; `nth` picks another one for each request.
 *
 * @type {Record<string, (nth: {
 *   customer: import('./seed-console.ts').SeededConsole['customers'][number],
 *   apiKey: import('./seed-console.ts').SeededConsole['apiKeys'][number] }) => string>}
 */
const ROUTES = {
  customers: () => 'customers?limit=100',
  'customers from the middle': ({ customer }) => `customers?limit=100&cursor=after.${customer.id}`,
  'customers suspended': () => 'customers?limit=100&status=suspended',
  'customers by a frequent word': () => 'customers?limit=100&search=customer',
  'customers by a part': ({ customer }) => `customers?search=${customer.externalId.slice(3)}`,
  'customers by no match': () => 'customers?search=nowhere',
  'customers by two letters of none': () => 'customers?search=qz',
  'customer by external ID': ({ customer }) => `customers?externalId=${customer.externalId}`,
  customer: ({ customer }) => `customers/${customer.id}`,
  'usage of a customer': ({ customer }) => `customers/${customer.id}/usage`,
  'usage of the project': () => 'usage',
  keys: () => 'api-keys?limit=100',
  'keys from the middle': ({ apiKey }) => `api-keys?limit=100&cursor=after.${apiKey.id}`,
  'keys archived': () => 'api-keys?limit=100&status=archived',
  'keys of a customer': ({ customer }) => `api-keys?customerId=${customer.id}`,
  'keys by a frequent word': () => 'api-keys?limit=100&search=key',
  'keys by a part': ({ apiKey }) => `api-keys?search=${encodeURIComponent(apiKey.name.slice(1))}`,
  'keys by two letters of none': () => 'api-keys?search=qz',
  'keys by prefix': ({ apiKey }) => `api-keys?search=${apiKey.prefix}`,
  'keys by metadata': () => 'api-keys?limit=100&metadata.tier=gold',
  key: ({ apiKey }) => `api-keys/${apiKey.id}`,
  'usage of a key': ({ apiKey }) => `api-keys/${apiKey.id}/usage`,
};

/**
 * @param {{ runtimeUrl: string, requests: number, pids: { server: number, postgres: number } }
 *   & import('./seed-console.ts').SeededConsole} at
 */
export function measureRoutes({ runtimeUrl, requests, pids, ...seeded }) {
  const { projectId, projectSecret, customers, apiKeys } = seeded;
  const calls = Object.entries(ROUTES).map(([name, route]) => ({
    name,
    path: (n) => {
      const nth = {
        customer: customers[n % customers.length],
        apiKey: apiKeys[n % apiKeys.length],
      };
      return `/rt/projects/${projectId}/${route(nth)}`;
    },
  }));
  return measureCalls(runtimeUrl, {
    calls: [{ name: 'control: health', path: () => '/health' }, ...calls],
    headers: { 'x-service-project-secret': projectSecret },
    requests,
    pids,
  });
}
