import { Hono } from 'hono';
import { listen } from './support.mjs';

/** The unit of cost: a small framework with no work behind it. */
const app = new Hono();
app.post('/verify', async (c) => c.json(await c.req.json()));
listen(app);
