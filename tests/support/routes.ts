import {
  type CallOptions,
  QUESTION,
  type Reply,
  type RuntimeClient,
  type TestApiKey,
} from './scenario.ts';

/** The body of a route. */
interface RouteBody {
  /** One that the route accepts. */
  good(apiKey: TestApiKey): object;
  readonly capBytes: number;
}

const KIB = 1024;
const body = (good: RouteBody['good'], capBytes = 16 * KIB): RouteBody => ({ good, capBytes });
const EMPTY = body(() => ({}));

/** The route that reads the headers of its request alone. */
export const FORWARD_AUTH = 'ANY /forward-auth';

/** Every route below the address of a project, and its body; null for a route that takes none. */
export const PROJECT_ROUTES: Readonly<Record<string, RouteBody | null>> = {
  'POST /authorize': body(({ plaintext }) => ({ ...QUESTION, apiKey: plaintext }), 64 * KIB),
  'POST /authorize/batch': body(
    ({ plaintext }) => ({ requests: [{ ...QUESTION, apiKey: plaintext }] }),
    1024 * KIB,
  ),
  [FORWARD_AUTH]: null,
  'GET /api-keys': null,
  'POST /api-keys': body(() => ({ displayName: 'another' })),
  'POST /api-keys/batch': body(() => ({ apiKeys: [{ displayName: 'another' }] }), 1024 * KIB),
  'POST /api-keys/import': body(
    () => {
      const digest = { digest: 'ab'.repeat(32), encoding: 'hex' };
      return { apiKeys: [{ ...digest, displayName: 'another', keyPrefix: 'sk_' }] };
    },
    5 * 1024 * KIB,
  ),
  'GET /api-keys/:apiKeyId': null,
  'PATCH /api-keys/:apiKeyId': body(() => ({ expiresAt: null })),
  'POST /api-keys/:apiKeyId/revoke': EMPTY,
  'POST /api-keys/:apiKeyId/archive': EMPTY,
  'POST /api-keys/:apiKeyId/rotate': body(({ keyPrefix }) => ({ keyPrefix, overlapSeconds: 0 })),
  'POST /api-keys/:apiKeyId/end-previous-secret': EMPTY,
  'GET /customers': null,
  'POST /customers': body(() => ({ externalId: 'acme' })),
  'GET /customers/:customerId': null,
  'PATCH /customers/:customerId': body(() => ({ name: 'Acme' })),
  'POST /customers/:customerId/suspend': EMPTY,
  'POST /customers/:customerId/resume': EMPTY,
  'GET /customers/:customerId/usage': null,
  'GET /api-keys/:apiKeyId/usage': null,
  'GET /usage': null,
  'GET /decisions': null,
  'GET /decisions/:decisionId': null,
};

/** @param ids what an address names, by the parameter of the route */
export function callRoute(
  client: RuntimeClient,
  route: string,
  ids: Readonly<Record<string, string>>,
  options: CallOptions,
): Promise<Reply> {
  const [method = '', path = ''] = route.split(' ');
  const below = path.replace(/:(\w+)/, (_, name) => encodeURIComponent(ids[name] ?? ''));
  return client.callBelow(method, below, options);
}
