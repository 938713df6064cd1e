import { PROJECT_SECRET_HEADER } from '../sets.ts';
import { paths } from './operations.ts';
import { sharedResponses } from './responses.ts';
import { componentSchemas } from './schemas.ts';

/**
 * The Runtime's routes as OpenAPI 3.1. `openapi.json` of this package is its committed output, which
 * the Runtime serves; `tests/static/openapi.test.ts` writes and compares it.
 */
export const openApiDocument = () => ({
  openapi: '3.1.1',
  info: {
    title: 'Ceiba Runtime',
    version: '0.1.0-dev',
    summary: 'Access control in front of the routes of an API.',
    description:
      'One question per request of a host API: should this request be allowed? All routes of a project need its secret, which belongs on servers only.',
    contact: { name: 'The operator of this installation' },
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: '/', description: 'The Runtime that serves this document' }],
  tags: [
    { name: 'Decisions', description: 'May a request proceed?' },
    { name: 'Keys', description: 'The keys of a project’s customers.' },
    { name: 'Decision log', description: 'Why was a request denied?' },
    { name: 'Health', description: 'Public, without credentials.' },
  ],
  security: [{ projectSecret: [] }],
  paths,
  components: {
    securitySchemes: {
      projectSecret: {
        type: 'apiKey',
        in: 'header',
        name: PROJECT_SECRET_HEADER,
        description: 'The project secret, shown once in the console at creation or rotation.',
      },
      callerBearer: {
        type: 'http',
        scheme: 'bearer',
        description: 'The key of the gateway’s caller.',
      },
      callerKey: {
        type: 'apiKey',
        in: 'header',
        name: 'x-api-key',
        description: 'The key of the gateway’s caller.',
      },
    },
    responses: sharedResponses,
    schemas: componentSchemas(),
  },
});
