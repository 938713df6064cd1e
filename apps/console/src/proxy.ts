import { type NextRequest, NextResponse } from 'next/server';
import { env } from './env.ts';
import { isForeignForm } from './server/origin.ts';
import { contentSecurityPolicy } from './server/security-headers.ts';

/**
 * Sets the content security policy, with a new nonce per page, on the response and on the request,
 * where Next.js reads the nonce for its scripts. It passes pages their path, and refuses forms
 * from other sites. It does not check access: every page and action does.
 *
 * Next.js compares the origin of a form with `X-Forwarded-Host` or `Host`, which a reverse proxy may
 * have rewritten, and answers 500 where they differ. A form from the configured address has passed the
 * check of this server, so it gets the host that Next.js expects.
 */
export function proxy(request: NextRequest): NextResponse {
  const { method, nextUrl, headers: sent } = request;
  const { publicOrigin } = env();
  if (isForeignForm({ method, pathname: nextUrl.pathname, headers: sent }, publicOrigin)) {
    const headers = { 'content-type': 'text/plain' };
    return new NextResponse('Only pages of this console may send forms.\n', {
      status: 403,
      headers,
    });
  }
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64');
  const policy = contentSecurityPolicy(nonce);
  const headers = new Headers(request.headers);
  headers.set('content-security-policy', policy);
  if (sent.get('origin') === publicOrigin) {
    headers.set('x-forwarded-host', new URL(publicOrigin).host);
  }
  headers.set('x-ceiba-path', request.nextUrl.pathname + request.nextUrl.search);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set('content-security-policy', policy);
  return response;
}

export const config = { matcher: '/((?!_next/static/|api/ready$|api/version$|icon\\.svg$).*)' };
