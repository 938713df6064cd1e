import { IS_DEVELOPMENT } from '../env.ts';

/**
 * Scripts and style elements need the page's nonce. Style attributes are allowed, because floating
 * panels are placed with them, and they cannot load or run anything.
 *
 * @see https://www.w3.org/TR/CSP3/
 */
export function contentSecurityPolicy(nonce: string): string {
  const developmentOnly = IS_DEVELOPMENT ? " 'unsafe-eval'" : '';
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${developmentOnly}`,
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
