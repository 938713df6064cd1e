import fastify from 'fastify';
import { createVerifier, port } from './support.mjs';

const verify = createVerifier();
const app = fastify();
app.post('/verify', async ({ body }) => ({ allowed: await verify(body.apiKey) }));
await app.listen({ port, host: '127.0.0.1' });
