import { HOST_REPLY_MESSAGES, type HostReplyCode } from '../host-replies.ts';
import {
  DENIAL_REASONS,
  HOST_ERROR_FOR_DENIAL,
  HTTP_STATUS_FOR_DENIAL,
  PROJECT_SECRET_HEADER,
} from '../sets.ts';
import { paths } from './operations.ts';
import { sharedResponses } from './responses.ts';
import { componentSchemas, type Form } from './schemas.ts';

const hostReplies = () => ({
  ...Object.fromEntries(
    DENIAL_REASONS.map((reason) => [
      reason,
      hostReply(HTTP_STATUS_FOR_DENIAL[reason], HOST_ERROR_FOR_DENIAL[reason]),
    ]),
  ),
  unavailable: hostReply(503, 'service_unavailable'),
});
const hostReply = (status: number, error: HostReplyCode) => ({
  status,
  error,
  message: HOST_REPLY_MESSAGES[error],
});

/**
 * The Runtime's routes as OpenAPI 3.1. `openapi.json` of this package is its committed output, which
 * the Runtime serves; `tests/static/openapi.test.ts` writes and compares it.
 *
 * @param form that of answers; `closed` for a test of what the Runtime sends
 */
export const openApiDocument = (form: Form = 'open') => ({
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
  servers: [
    { url: '/', description: 'The Runtime that serves this document' },
    {
      url: '{runtimeUrl}',
      description: 'Another Runtime; set its address',
      variables: {
        runtimeUrl: {
          default: 'http://127.0.0.1:4000',
          description: 'Of the Runtime, without a slash at the end.',
        },
      },
    },
  ],
  tags: [
    { name: 'Decisions', description: 'May a request proceed?' },
    { name: 'Keys', description: 'The keys of a project’s customers.' },
    { name: 'Customers', description: 'The customers that a project’s keys belong to.' },
    { name: 'Usage', description: 'What was allowed and denied, and what it cost.' },
    { name: 'Decision log', description: 'Why was a request denied?' },
    { name: 'Health', description: 'Public, without credentials.' },
  ],
  security: [{ projectSecret: [] }],
  paths,
  // How a host answers to its caller, by denial reason; for clients.
  'x-ceiba-host-replies': hostReplies(),
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
    schemas: componentSchemas(form),
  },
});
