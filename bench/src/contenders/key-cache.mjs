import { Hono } from 'hono';
import { connectRedis, createPool, findKey, listen } from './support.mjs';

/**
 * The design of Unkey, rebuilt: the row of a key is cached in the process for ten seconds, and the
 * counter of its minute is in Redis. `@unkey/ratelimit` asks such a service over HTTP.
 */
const CACHED_FOR_MS = 10_000;
const pool = createPool();
const redis = connectRedis();
const cache = new Map();

async function rowOf(apiKey) {
  const cached = cache.get(apiKey);
  if (cached !== undefined && Date.now() - cached.readAtMs < CACHED_FOR_MS) return cached.row;
  const row = await findKey(pool, apiKey);
  cache.set(apiKey, { row, readAtMs: Date.now() });
  return row;
}

async function verify(apiKey) {
  const row = await rowOf(apiKey);
  if (!row?.enabled) return false;
  const counter = `key-cache:${row.id}:${Math.floor(Date.now() / 60_000)}`;
  const count = await redis.incr(counter);
  if (count === 1) await redis.expire(counter, 120);
  return count <= row.rate;
}

const app = new Hono();
app.post('/verify', async (c) => {
  const { apiKey } = await c.req.json();
  return c.json({ allowed: await verify(apiKey) });
});
listen(app);
