const CONFIG = `const config = parseCeibaConfig({
  runtimeBaseUrl: env.CEIBA_RUNTIME_URL,
  projectId: env.CEIBA_PROJECT_ID,
  projectSecret: env.CEIBA_PROJECT_SECRET,
});
const client = new CeibaRuntimeClient(config);
const { projectId } = config;`;

/** A complete Express host with one protected route; it runs with the `.env` file. */
export const expressHost = (): string => `// node --env-file=.env server.mjs
import { env } from 'node:process';
import { CeibaRuntimeClient, parseCeibaConfig } from '@ceiba/sdk';
import { createExpressMiddleware } from '@ceiba/sdk/express';
import express from 'express';

${CONFIG}

const app = express();
app.get('/v1/reports', createExpressMiddleware({ client, projectId }), (req, res) => {
  res.json({ calledBy: req.access.access.apiKey.displayName });
});
app.listen(4100);
`;

/** The same host in Fastify. */
export const fastifyHost = (): string => `// node --env-file=.env server.mjs
import { env } from 'node:process';
import { CeibaRuntimeClient, parseCeibaConfig } from '@ceiba/sdk';
import { createFastifyPreHandler } from '@ceiba/sdk/fastify';
import Fastify from 'fastify';

${CONFIG}

const app = Fastify();
const preHandler = createFastifyPreHandler({ client, projectId });
app.get('/v1/reports', { preHandler }, async (request) => {
  return { calledBy: request.access.access.apiKey.displayName };
});
await app.listen({ port: 4100 });
`;
