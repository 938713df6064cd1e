import { type NextRequest, NextResponse } from 'next/server';
import { contentSecurityPolicy } from './server/security-headers.ts';

/** As much as Next reads of a form. What is longer it answers, and logs, as a fault of ours. */
const BODY_BYTES_MAX = 1024 * 1024;

/**
 * Puts the content security policy, with a nonce of its own for each page, into the request (from
 * which Next takes the nonce for its scripts) and the response, and tells pages their own path. It
 * decides nothing about access: every page and action checks that itself. A form that is too long
 * to be read is refused before it is.
 */
export function proxy(request: NextRequest): NextResponse {
  if (Number(request.headers.get('content-length')) > BODY_BYTES_MAX) {
    const headers = { 'content-type': 'text/plain' };
    return new NextResponse('A form may have 1 MB at most.\n', { status: 413, headers });
  }
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64');
  const policy = contentSecurityPolicy(nonce);
  const headers = new Headers(request.headers);
  headers.set('x-nonce', nonce);
  headers.set('content-security-policy', policy);
  headers.set('x-ceiba-path', request.nextUrl.pathname + request.nextUrl.search);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set('content-security-policy', policy);
  return response;
}

export const config = { matcher: '/((?!_next/static/|api/ready$|api/version$|icon\\.svg$).*)' };
