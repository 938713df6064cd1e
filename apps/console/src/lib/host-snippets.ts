/** The three settings of a host; the secret in plain text. */
export interface HostSettings {
  runtimeUrl: string;
  projectId: string;
  projectSecret: string;
}

/** The settings of a host as its `.env` file takes them. */
export function environmentFile(values: HostSettings): string {
  return [
    `CEIBA_RUNTIME_URL=${values.runtimeUrl}`,
    `CEIBA_PROJECT_ID=${values.projectId}`,
    `CEIBA_PROJECT_SECRET=${values.projectSecret}`,
    '',
  ].join('\n');
}

const CONFIG = `const config = parseCeibaConfig({
  runtimeBaseUrl: env.CEIBA_RUNTIME_URL,
  projectId: env.CEIBA_PROJECT_ID,
  projectSecret: env.CEIBA_PROJECT_SECRET,
});
const client = new CeibaRuntimeClient(config);
const { projectId } = config;`;

/** A whole Express host with one protected route; it runs with the `.env` file beside it. */
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
