import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** The claims of the next sign-in; a test can change them. */
export interface Claims {
  sub: string;
  email?: string;
  email_verified?: boolean;
}

export interface OpenIdIssuer {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  claims: Claims;
  stop(): Promise<void>;
}

const clientId = 'console';
const clientSecret = 'the client secret of the test';

/**
 * An OpenID Connect issuer on loopback that approves immediately: authorization code with PKCE, an
 * ID token signed with RS256, and its key set.
 *
 * @see https://openid.net/specs/openid-connect-core-1_0.html#CodeFlowAuth
 */
export async function startOpenIdIssuer(): Promise<OpenIdIssuer> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const codes = new Map<string, { challenge: string; nonce: string; claims: Claims }>();

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const url = `http://127.0.0.1:${address.port}`;

  const issuer: OpenIdIssuer = {
    url,
    clientId,
    clientSecret,
    claims: { sub: 'unset' },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return issuer;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = new URL(request.url ?? '/', url);
    switch (asked.pathname) {
      case '/.well-known/openid-configuration':
        return json(response, {
          issuer: url,
          authorization_endpoint: `${url}/authorize`,
          token_endpoint: `${url}/token`,
          jwks_uri: `${url}/keys`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
        });
      case '/keys':
        return json(response, {
          keys: [{ ...publicKey.export({ format: 'jwk' }), kid: '1', use: 'sig', alg: 'RS256' }],
        });
      case '/authorize':
        return authorize(asked.searchParams, response);
      case '/token':
        return token(request, response);
      default:
        response.writeHead(404).end();
    }
  }

  function authorize(query: URLSearchParams, response: ServerResponse): void {
    const code = randomUUID();
    codes.set(code, {
      challenge: query.get('code_challenge') ?? '',
      nonce: query.get('nonce') ?? '',
      claims: issuer.claims,
    });
    const back = new URL(query.get('redirect_uri') ?? '');
    back.searchParams.set('code', code);
    back.searchParams.set('state', query.get('state') ?? '');
    response.writeHead(302, { location: back.href }).end();
  }

  async function token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await bodyOf(request));
    const granted = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const credentials = `Basic ${Buffer.from(`${clientId}:${encodeURIComponent(clientSecret).replaceAll('%20', '+')}`).toString('base64')}`;
    const isKnown = request.headers.authorization === credentials;
    if (granted === undefined || granted.challenge !== challenge || !isKnown) {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: 'invalid_grant' }));
      return;
    }
    const now = Math.floor(Date.now() / 1000);
    const idToken = signed({
      ...granted.claims,
      iss: url,
      aud: clientId,
      iat: now,
      exp: now + 60,
      nonce: granted.nonce,
    });
    json(response, { access_token: randomUUID(), token_type: 'Bearer', id_token: idToken });
  }

  function signed(claims: object): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const body = `${part({ alg: 'RS256', kid: '1', typ: 'JWT' })}.${part(claims)}`;
    return `${body}.${sign('sha256', Buffer.from(body), privateKey).toString('base64url')}`;
  }
}

function json(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}
