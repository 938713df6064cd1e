import { EXAMPLE_HOST_PORT } from '@ceiba/domain/constants';

/** The route of those hosts. */
export const EXAMPLE_ROUTE = { method: 'GET', path: '/v1/reports' };

const CONFIG = `const config = parseCeibaConfig({
  runtimeBaseUrl: env.CEIBA_RUNTIME_URL,
  projectId: env.CEIBA_PROJECT_ID,
  projectSecret: env.CEIBA_PROJECT_SECRET,
});
const client = new CeibaRuntimeClient(config);
const port = env.PORT ?? ${EXAMPLE_HOST_PORT};`;

// biome-ignore lint/suspicious/noTemplateCurlyInString: the code of a snippet
const LISTENING = 'console.log(`http://localhost:${port}/v1/reports`)';

export interface HostSnippetOptions {
  runtimeUrl: string;
  projectId: string;
  /** Where users open the console, which serves the SDK too. */
  consoleUrl: string;
  /** Without it, the file has a placeholder. */
  projectSecret?: string;
}

/**
 * The file with the settings of a host: the name of its download, which the command reads. Browsers drop
 * the dot that a name begins with, so it is not `.env`.
 */
export const ENVIRONMENT_FILE = 'ceiba.env';

/** The files and commands of a complete host with one protected route, in the order of their use. */
export const hostSnippets = (options: HostSnippetOptions): { name: string; code: string }[] => [
  { name: ENVIRONMENT_FILE, code: environmentFile(options) },
  { name: 'Terminal', code: installation(options) },
  { name: 'Express', code: EXPRESS_HOST },
  { name: 'Fastify', code: FASTIFY_HOST },
];

/** The settings of a host, as a file. */
export const environmentFile = ({
  runtimeUrl,
  projectId,
  projectSecret,
}: Omit<HostSnippetOptions, 'consoleUrl'>) =>
  `CEIBA_RUNTIME_URL=${runtimeUrl}
CEIBA_PROJECT_ID=${projectId}
CEIBA_PROJECT_SECRET=${projectSecret ?? '<the project secret>'}
`;

const installation = ({ consoleUrl }: HostSnippetOptions) =>
  `npm install ${consoleUrl}/ceiba-sdk.tgz express
node --env-file=${ENVIRONMENT_FILE} server.mjs
`;

const EXPRESS_HOST = `// server.mjs
import { env } from 'node:process';
import { CeibaRuntimeClient, parseCeibaConfig } from '@ceiba/sdk';
import { createExpressMiddleware } from '@ceiba/sdk/express';
import express from 'express';

${CONFIG}

const app = express();
app.get('/v1/reports', createExpressMiddleware({ client }), (req, res) => {
  res.json({ calledBy: req.ceiba?.apiKey.displayName });
});
app.listen(port, () => ${LISTENING});
`;

const FASTIFY_HOST = `// server.mjs, with fastify instead of express in the first command
import { env } from 'node:process';
import { CeibaRuntimeClient, parseCeibaConfig } from '@ceiba/sdk';
import { createFastifyPreHandler } from '@ceiba/sdk/fastify';
import Fastify from 'fastify';

${CONFIG}

const app = Fastify();
const preHandler = createFastifyPreHandler({ client });
app.get('/v1/reports', { preHandler }, async (request) => {
  return { calledBy: request.ceiba?.apiKey.displayName };
});
await app.listen({ port: Number(port) });
${LISTENING};
`;

/** A command that requests a decision from the Runtime without a key, which is denied. */
export const firstDecision = ({
  runtimeUrl,
  projectId,
}: Pick<HostSnippetOptions, 'runtimeUrl' | 'projectId'>) =>
  `curl ${runtimeUrl}/rt/projects/${projectId}/authorize \\
  -H "x-service-project-secret: $CEIBA_PROJECT_SECRET" \\
  -H 'content-type: application/json' \\
  -d '{"apiKey":null,"method":"GET","path":"/v1/reports"}'
`;
