import { fileURLToPath } from 'node:url';
import { buildSha } from '@ceiba/build/sha';
import { sourceUrl } from '@ceiba/build/source-url';
import type { NextConfig } from 'next';

const repositoryRoot = fileURLToPath(new URL('../..', import.meta.url));

/** Headers of every response. The content security policy differs per page: see `src/proxy.ts`. */
const headers = [
  { key: 'X-Content-Type-Options', value: 'nosniff' },
  { key: 'X-Frame-Options', value: 'DENY' },
  // Not `no-referrer`: that makes browsers send `Origin: null`, which every action refuses.
  { key: 'Referrer-Policy', value: 'strict-origin-when-cross-origin' },
  { key: 'Cross-Origin-Opener-Policy', value: 'same-origin' },
  { key: 'Cross-Origin-Resource-Policy', value: 'same-origin' },
  { key: 'Permissions-Policy', value: 'camera=(), geolocation=(), microphone=(), payment=()' },
  // Browsers ignore it without HTTPS (RFC 6797, section 8.1).
  { key: 'Strict-Transport-Security', value: 'max-age=31536000' },
];

const config: NextConfig = {
  output: 'standalone',
  outputFileTracingRoot: repositoryRoot,
  turbopack: {
    root: repositoryRoot,
    rules: { '*.guides': { loaders: ['./guide-loader.mjs'], as: '*.js' } },
  },
  transpilePackages: [
    '@ceiba/alerts',
    '@ceiba/contract',
    '@ceiba/domain',
    '@ceiba/manage',
    '@ceiba/process',
    '@ceiba/schema',
  ],
  // Native code and sockets: loaded from node_modules, not bundled.
  serverExternalPackages: ['@node-rs/argon2', 'pino', 'postgres'],
  // Inlined by the build, so that /api/version and the footer need neither git nor a setting.
  env: { CEIBA_BUILD_SHA: buildSha(), CEIBA_SOURCE_URL: sourceUrl() },
  // `npm run typecheck` checks them, with the tests; a build does without the packages of the tests.
  typescript: { ignoreBuildErrors: true },
  poweredByHeader: false,
  // No page uses them. Its server would resize any image of the console on request, and write a cache.
  images: { unoptimized: true },
  // Titles come with their page, for every user agent: streamed after it, the title of a tab goes
  // empty at each refresh until the new one arrives. Pages wait for their data anyway.
  htmlLimitedBots: /.*/,
  // For `forbidden()`: a page that the user's role does not permit answers 403.
  experimental: { authInterrupts: true },
  reactStrictMode: true,
  // Former addresses of guides.
  redirects: async () => [
    { source: '/docs/client-library', destination: '/docs/sdk-in-production', permanent: true },
  ],
  headers: async () => [
    { source: '/:path*', headers },
    // Their addresses have no version, so each use asks whether they have changed.
    {
      source: '/:package(ceiba-(?:sdk|cli)\\.tgz)',
      headers: [{ key: 'Cache-Control', value: 'no-cache' }],
    },
  ],
};

export default config;
