/*
 * Targets that two parsers may read differently, from security advisories of routers and proxies:
 * Envoy CVE-2019-9901 and Istio CVE-2021-31920 (dot segments, slashes), Next.js CVE-2025-29927
 * (a header that skips the check), Fastify CVE-2026-33808, Hono CVE-2026-29045 and
 * Traefik CVE-2026-48020 (encodings, `;`, `//`, case, absolute form).
 */

/** One request that is sent byte for byte. */
export interface Probe {
  readonly target: string;
  readonly headers?: readonly string[];
}

/** Ways to go from one resource to another, or to spell one of them. */
const TRICKS = [
  'A',
  'A/',
  'A//',
  'A/42',
  'A/42/',
  'A?x=1',
  'A?/../B',
  'A?#/../B',
  'B?A',
  'B?/..A',
  'A#',
  'A#/../B',
  'A/.',
  'A/./',
  'A/..',
  'A/../',
  'A/../B',
  'A/./../B',
  'A/42/../../B',
  'A/%2e',
  'A/%2e%2e',
  'A/%2e%2e/B',
  'A/%2E%2E/B',
  'A/.%2e/B',
  'A/%2e./B',
  'A/%2e%2e/%2e%2e/v1/B',
  'A/%252e%252e/B',
  'A/..%2fB',
  'A/..%2FB',
  'A%2f..%2fB',
  'A%2f42',
  'A/..%252fB',
  'A/..%5cB',
  'A/..\\B',
  'A\\..\\B',
  'A\\42',
  'A/..;/B',
  'A;/../B',
  'A;x=1',
  'A/;/../B',
  'A;%2f..%2fB',
  'A%3b/../B',
  'A%3f/../B',
  'A%23/../B',
  'A%00',
  'A%00/../B',
  'A%0a',
  'A%0d%0aB',
  'A%09',
  'A%20',
  'A%',
  'A%2',
  'A%zz',
  'A%u002f..%u002fB',
  'A%c0%af..%c0%afB',
  'A/%c0%ae%c0%ae/B',
  'A/%e0%80%ae%e0%80%ae/B',
  'A/%ef%bc%8e%ef%bc%8e/B',
  'A/%ff',
  '/A',
  '//A',
  '/.A',
  '/..A',
  '/./A',
  '/B/../A',
  '/x/../A',
  '//x/../A',
  '/%2fA',
  '/%2e/A',
] as const;

/** Resources of the tree in `routers.ts`, with `A` and `B` for their last segment. */
export const PAIRS = [
  ['/v1/reports/preview', '/v1/reports/caf%C3%A9'],
  ['/v1/mounted/reports/preview', '/v1/mounted/reports/42'],
  ['/v1/reports', '/v1/billing'],
  ['/v1/mounted/reports', '/v1/mounted/billing'],
  ['/v1/files/public', '/v1/files/private'],
  ['/v1/any', '/v1/any/42'],
] as const;

/** Spellings of a whole target. */
function spellings(path: string): string[] {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const hex = (text: string) => `%${text.charCodeAt(0).toString(16)}`;
  const parent = path.slice(0, -name.length);
  return [
    path.toUpperCase(),
    path.replace('/v1', '/V1'),
    parent + (name[0] ?? '').toUpperCase() + name.slice(1),
    parent + hex(name) + name.slice(1),
    path.slice(0, -1) + hex(name.slice(-1)),
    parent + [...name].map(hex).join(''),
    path.replace(/%[0-9A-F]{2}/g, (escaped) => escaped.toLowerCase()),
    path.replace('reports', `${hex('r')}eports`),
    parent + hex(name).toUpperCase() + name.slice(1),
    parent + hex(name.toUpperCase()) + name.slice(1),
    parent + hex(name).replace('%', '%25') + name.slice(1),
    `/${hex('v')}1${path.slice(3)}`,
    path.replace('/v1/', '/v1%2f'),
    path.replace('/v1/', '/v1//'),
    path.replace('/v1/', '//v1/'),
    path.replace('/v1/', '/v1/./'),
    path.replace('/v1/', '/v1/x/../'),
    path.replace('/v1/', '/v1;/'),
    path.replace('/v1/', '/v1\\'),
    path.replace('/', ''),
    path.replace('s', '%C5%BF'),
    path.replace('s', '%E2%84%AA'),
    `${path}/${'a'.repeat(3_000)}`,
    `http://localhost${path}`,
    `HTTP://LOCALHOST${path}`,
    `http://user@localhost${path}`,
    `https://evil.example${path}`,
    `http:${path}`,
    `http:/${path}`,
    `ws://localhost${path}`,
    `//localhost${path}`,
    `@localhost${path}`,
    `:80${path}`,
    `.evil.example${path}`,
    `?${path}`,
    `#${path}`,
    `*${path}`,
  ];
}

/** Headers with which other software overrides the method, the path or the check. */
function overrides(other: string): string[] {
  return [
    'X-HTTP-Method-Override: DELETE',
    `X-Original-URL: ${other}`,
    `X-Rewrite-URL: ${other}`,
    `X-Forwarded-Uri: ${other}`,
    `X-Forwarded-Prefix: ${other}`,
    `X-Original-Uri: ${other}`,
    `X-Invoke-Path: ${other}`,
    `X-Matched-Path: ${other}`,
    `X-Middleware-Rewrite: ${other}`,
    'X-Middleware-Subrequest: middleware:middleware:middleware:middleware:middleware',
    `Next-Url: ${other}`,
    'RSC: 1',
    `Host: localhost${other}`,
    `Host: localhost${other}?`,
    `Host: localhost${other}#`,
    `Host: localhost${other.replaceAll('/', '\\')}?`,
    `Host: user@localhost`,
    'Host: localhost:80:80',
    'Host: [::1]',
  ];
}

/** The whole corpus, including plain spellings. */
export function probes(pairs: readonly (readonly [string, string])[] = PAIRS): Probe[] {
  const targets = pairs.flatMap(([first, second]) => {
    const tricks = [
      [first, second],
      [second, first],
    ].flatMap(([from = '', to = '']) => {
      const climb = `/${to.slice(to.lastIndexOf('/') + 1)}`;
      return TRICKS.map((trick) => trick.replace('A', from).replace('/B', climb).replace('B', to));
    });
    return [...tricks, ...spellings(first), ...spellings(second)];
  });
  const plain = [...new Set(targets)].map((target) => ({ target }));
  const withHeaders = pairs.flatMap(([first, second]) =>
    overrides(second).map((line) => ({ target: first, headers: [line] })),
  );
  return [...plain, ...withHeaders];
}
