import { serve } from '@hono/node-server';
import { Hono } from 'hono';

/** The reference for the Runtime: the same HTTP stack with no work behind it. */
const app = new Hono();
app.post('/echo', async (c) => c.json(await c.req.json()));
serve({ fetch: app.fetch, port: Number(process.argv[2]), hostname: '127.0.0.1' }, () =>
  process.stdout.write('ready\n'),
);
