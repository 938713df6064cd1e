import { Hono } from 'hono';
import { createAuth } from './better-auth-config.mjs';
import { listen } from './support.mjs';

/** The API-key plugin of better-auth behind Hono, as in the echo. */
const auth = createAuth();
const app = new Hono();
app.post('/verify', async (c) => {
  const { apiKey } = await c.req.json();
  const { valid } = await auth.api.verifyApiKey({ body: { key: apiKey } });
  return c.json({ allowed: valid });
});
listen(app);
