import { apiKey } from '@better-auth/api-key';
import { betterAuth } from 'better-auth';
import { createPool } from './support.mjs';

/** The plugin with its defaults: keys in Postgres, hashed, and its rate limit on. */
export const betterAuthOptions = (databaseUrl = process.env.DATABASE_URL) => ({
  database: createPool({ schema: 'better_auth', databaseUrl }),
  baseURL: 'http://127.0.0.1',
  secret: 'a secret of the benchmark, which signs nothing',
  logger: { disabled: true },
  telemetry: { enabled: false },
  plugins: [
    apiKey({ rateLimit: { enabled: true, timeWindow: 60_000, maxRequests: 1_000_000_000 } }),
  ],
});

export const createAuth = () => betterAuth(betterAuthOptions());
