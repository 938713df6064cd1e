const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Whether a page of this console sent a request. Browsers set `Origin` on every POST; a request
 * without it, or with `null`, is refused. Only `Origin` is compared, and only with the configured
 * address, because a client can forge `Host` and the `X-Forwarded-` headers.
 *
 * On the loopback interface the same server has three names. Only there a page may use another name
 * than the configured one, if it matches `Host`.
 *
 * @see https://cheatsheetseries.owasp.org/cheatsheets/Cross-Site_Request_Forgery_Prevention_Cheat_Sheet.html
 */
export function isOwnOrigin(headers: Headers, publicOrigin: string): boolean {
  const origin = headers.get('origin');
  if (origin === null || origin === 'null') return false;
  if (origin === publicOrigin) return true;
  const sent = parseOrigin(origin);
  const own = new URL(publicOrigin);
  return (
    sent !== null &&
    LOOPBACK_HOSTS.has(own.hostname) &&
    LOOPBACK_HOSTS.has(sent.hostname) &&
    sent.protocol === own.protocol &&
    sent.port === own.port &&
    sent.host === headers.get('host')
  );
}

/**
 * Whether a form comes from a page of another site; it is answered with 403 before it reaches Next.js,
 * which would answer 500. A page of this server under another name than the configured one is not
 * foreign: its action refuses the form and names the right address.
 */
export function isForeignForm(
  { method, pathname, headers }: { method: string; pathname: string; headers: Headers },
  publicOrigin: string,
): boolean {
  // The routes below /api check the origin themselves.
  if (method !== 'POST' || pathname.startsWith('/api/')) return false;
  if (isOwnOrigin(headers, publicOrigin)) return false;
  const sent = parseOrigin(headers.get('origin') ?? '');
  return sent === null || sent.host !== headers.get('host');
}

function parseOrigin(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && url.origin === text ? url : null;
}
