import { createHash } from 'node:crypto';
import { serve } from '@hono/node-server';
import { Redis } from 'ioredis';
import pg from 'pg';
import { RateLimiterRedis } from 'rate-limiter-flexible';

/** What the contenders share: their connections, the one query, and the limiter. */

export const port = Number(process.env.PORT);

/** As many connections as Ceiba's Runtime may open. */
const POOL_SIZE = 20;

/** @param {import('hono').Hono} app */
export const listen = (app) => serve({ fetch: app.fetch, port, hostname: '127.0.0.1' });

/** Commands of one turn of the event loop share a write, which favours the contenders. */
export const connectRedis = () => new Redis(process.env.REDIS_URL, { enableAutoPipelining: true });

/** @param {{ schema?: string, databaseUrl?: string | undefined }} [options] where the tables are */
export const createPool = ({
  schema = 'contenders',
  databaseUrl = process.env.DATABASE_URL,
} = {}) =>
  new pg.Pool({
    connectionString: databaseUrl,
    max: POOL_SIZE,
    options: `-c search_path=${schema}`,
  });

/**
 * Reads the row of a key, with a prepared statement.
 *
 * @param {import('pg').Pool} pool
 * @param {string} apiKey
 * @returns {Promise<{ id: string, enabled: boolean, rate: number } | undefined>}
 */
export async function findKey(pool, apiKey) {
  const { rows } = await pool.query({
    name: 'key',
    text: 'select id, enabled, rate_limit_per_minute as rate from api_keys where key_digest = $1',
    values: [createHash('sha256').update(apiKey).digest()],
  });
  return rows[0];
}

/**
 * The handler of a typical host: one query, then rate-limiter-flexible on Redis.
 *
 * @returns {(apiKey: string) => Promise<boolean>} Rejects when Postgres or Redis fails.
 */
export function createVerifier() {
  const pool = createPool();
  const redis = connectRedis();
  const limiters = new Map();
  const limiterOf = (points) => {
    const limiter =
      limiters.get(points) ??
      new RateLimiterRedis({
        storeClient: redis,
        points,
        duration: 60,
        keyPrefix: `${process.env.NAME}:${points}`,
      });
    limiters.set(points, limiter);
    return limiter;
  };
  return async (apiKey) => {
    const key = await findKey(pool, apiKey);
    if (!key?.enabled) return false;
    try {
      await limiterOf(key.rate).consume(key.id);
      return true;
    } catch (refusal) {
      if (refusal instanceof Error) throw refusal;
      return false;
    }
  };
}
