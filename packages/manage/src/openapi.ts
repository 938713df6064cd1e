import {
  customerSchema,
  customerUsageResultSchema,
  importedApiKeySchema,
  loggedDecisionSchema,
} from '@ceiba/contract';
import { parameterSchema, simplify } from '@ceiba/contract/openapi-schemas';
import { z } from 'zod';
import { change } from './apply/changes.ts';
import { ceibaFileJsonSchema } from './apply/json-schema.ts';
import { MANAGE_PATH, pathFieldsOf, placeOfFields } from './http.ts';
import type { Operation } from './operation.ts';
import { apiKey } from './operations/api-keys.ts';
import { importRequest } from './operations/customers.ts';
import { exportFile, newProject } from './operations/files.ts';
import { project } from './operations/projects.ts';
import { countOfName, countOfStep } from './operations/usage.ts';
import { OPERATIONS } from './operations.ts';
import { REFUSAL_CODES } from './refusal.ts';

const TAGS = [
  ['Files', /./, 'Projects, plans and policies as one file.'],
  ['Projects', /\/projects/, 'Those in which the user has a role.'],
  ['Keys', /\/api-keys/, 'The keys of a project’s customers.'],
  ['Customers', /\/customers/, 'The customers that a project’s keys belong to.'],
  ['Usage', /\/usage/, 'What was allowed and denied.'],
  ['Decision log', /\/decision/, 'Why was a request denied?'],
] as const;

/** That of the last pattern: the more special ones come last. */
const tagOf = ({ path }: Operation) =>
  TAGS.flatMap(([name, pattern]) => (pattern.test(path) ? [name] : [])).slice(-1);

const error = z.object({
  error: z.string().describe('The class of the error, which the status says too.'),
  message: z.string().describe('For people; a field is in backticks.'),
  requestId: z.string(),
  code: z.enum(REFUSAL_CODES).optional().describe('For programs.'),
  field: z.string().optional().describe('What has to change.'),
  removals: z.array(z.string()).optional().describe('What the file does not have.'),
  removalsDigest: z.string().optional().describe('For `prune`, to remove just that.'),
  project: z.string().optional().describe('The project that would be created.'),
});

const nameOf = ({ name }: Operation) => name.replace(/^./, (first) => first.toUpperCase());

/** The body of a request as JSON; null where it has none. */
function bodySchema(operation: Operation): z.ZodObject | null {
  const { input, text } = operation;
  const inPath = pathFieldsOf(operation);
  if (text !== undefined || placeOfFields(operation) === 'query') return null;
  const fields = Object.entries(input.shape).filter(([name]) => !inPath.includes(name));
  return fields.length === 0 ? null : z.strictObject(Object.fromEntries(fields));
}

const BODIES = new Map(
  OPERATIONS.map((operation: Operation) => [operation, bodySchema(operation)]),
);

/** The shapes of the document, by their names. They refer to each other. */
const SHAPES = new Map<z.ZodType, string>([
  [apiKey, 'ApiKey'],
  [change, 'Change'],
  [countOfName, 'CountOfName'],
  [countOfStep, 'CountOfStep'],
  [customerSchema, 'Customer'],
  [importRequest, 'CustomerRow'],
  [customerUsageResultSchema, 'CustomerUsage'],
  [error, 'Error'],
  [importedApiKeySchema, 'ImportedApiKey'],
  [loggedDecisionSchema, 'LoggedDecision'],
  [newProject, 'NewProject'],
  [project, 'Project'],
]);
for (const operation of OPERATIONS as readonly Operation[]) {
  const body = BODIES.get(operation);
  if (body) SHAPES.set(body, `${nameOf(operation)}Request`);
  const isNew = !SHAPES.has(operation.output) && operation !== exportFile;
  if (isNew) SHAPES.set(operation.output, `${nameOf(operation)}Result`);
}

const uri = (name: string) => `#/components/schemas/${name}`;
const ref = (schema: z.ZodType) => ({ $ref: uri(SHAPES.get(schema) ?? 'CeibaFile') });

function schemas(): Record<string, object> {
  const registry = z.registry<{ id: string }>();
  for (const [schema, id] of SHAPES) registry.add(schema, { id });
  const made = z.toJSONSchema(registry, {
    uri,
    io: 'input',
    override: ({ jsonSchema }) => simplify(jsonSchema),
  }).schemas;
  const { $schema: _, ...file } = ceibaFileJsonSchema() as Record<string, unknown>;
  const all = Object.entries(made).map(([name, { $schema: _, $id: __, ...shape }]) => {
    // Who reads an answer ignores fields that it does not know.
    if (!name.endsWith('Request')) delete shape.additionalProperties;
    return [name, shape] as const;
  });
  return Object.fromEntries(
    [...all, ['CeibaFile', file] as const].sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

const ERRORS = {
  '400': 'A field, a parameter, the body or the file is wrong; the message names it.',
  '401': 'The access token is missing, expired, revoked or unknown.',
  '403':
    'The role of the user or the access of the token does not permit it, or a plan has no room for another key.',
  '404': 'There is no such project for the user, or nothing in it that has this id.',
  '409':
    'The state of what is to be changed does not permit it, or someone else changed it just now.',
  '413': 'The body has more than 1 MB.',
  '500': 'A bug. The log has the error under the request id.',
  '503': 'The database does not answer, or took too long. A change may have been made.',
} as const;

const json = (schema: object) => ({ 'application/json': { schema } });

const pathsOf = () => {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of OPERATIONS as readonly Operation[]) {
    const path = `${MANAGE_PATH}${operation.path}`;
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation) };
  }
  return paths;
};

function describe(operation: Operation) {
  const { name, summary, access, input, output } = operation;
  const statuses = Object.keys(ERRORS).filter(
    (status) => access === 'write' || (status !== '409' && status !== '413'),
  );
  return {
    operationId: name,
    tags: tagOf(operation),
    summary,
    description: ACCESS[access] + ('dryRun' in input.shape ? REHEARSAL : ''),
    parameters: parametersOf(operation),
    ...requestBodyOf(operation),
    responses: {
      '200': { description: 'The result.', content: json(ref(output)) },
      ...Object.fromEntries(
        statuses.map((status) => [status, { $ref: `#/components/responses/${status}` }]),
      ),
    },
  };
}

const ACCESS = {
  read: 'With any access token of a user who may see it.',
  write: 'With an access token that may write, of a user whose role permits it.',
} as const;
const REHEARSAL = ' With `dryRun`, one that may only read suffices.';

function parametersOf(operation: Operation) {
  const { input, text } = operation;
  const inPath = pathFieldsOf(operation);
  const inQuery =
    placeOfFields(operation) === 'body'
      ? []
      : Object.keys(input.shape).filter((name) => !inPath.includes(name) && name !== text);
  return [...inPath, ...inQuery].map((name) => {
    const { description, ...schema } = parameterOf(input.shape[name] as z.ZodType);
    const place = inPath.includes(name) ? { in: 'path', required: true } : { in: 'query' };
    return { name, ...place, description, schema };
  });
}

/** In an address a flag is a digit; whatever else it may be is text too. */
function parameterOf(schema: z.ZodType): Record<string, unknown> {
  const { anyOf, ...rest } = parameterSchema(schema) as Record<string, unknown>;
  if (!Array.isArray(anyOf)) return rest;
  return {
    ...rest,
    type: 'string',
    default: schema.safeParse(undefined).data === true ? '1' : '0',
  };
}

function requestBodyOf(operation: Operation) {
  const { text, example } = operation;
  if (text !== undefined) {
    const file = { type: 'string', description: 'A ceiba.yaml, as YAML or JSON.' };
    return { requestBody: { required: true, content: { 'application/yaml': { schema: file } } } };
  }
  const body = BODIES.get(operation);
  if (!body) return {};
  const examples = example === undefined ? {} : { examples: { example: { value: example } } };
  const content = { 'application/json': { schema: ref(body), ...examples } };
  return { requestBody: { required: true, content } };
}

/**
 * The operations as OpenAPI 3.1, from their table. `openapi.json` of this package is its committed output,
 * which the console serves; `tests/static/openapi.test.ts` writes and compares it.
 */
export const manageDocument = () => ({
  openapi: '3.1.1',
  info: {
    title: 'Ceiba Management',
    version: '0.1.0-dev',
    summary: 'What the ceiba command does, over HTTP.',
    description:
      'What `ceiba apply`, `export`, `usage`, `requests` and the commands of keys, customers and projects do, over HTTP, with the rights of a user’s access token.',
    contact: { name: 'The operator of this installation' },
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: '/', description: 'The console that serves this document' }],
  tags: TAGS.map(([name, , description]) => ({ name, description })),
  security: [{ accessToken: [] }],
  paths: pathsOf(),
  components: {
    securitySchemes: {
      accessToken: {
        type: 'http',
        scheme: 'bearer',
        description:
          'An access token, which the account page of the console creates. Cookies do not count.',
      },
    },
    responses: Object.fromEntries(
      Object.entries(ERRORS).map(([status, description]) => [
        status,
        { description, content: json(ref(error)) },
      ]),
    ),
    schemas: schemas(),
  },
});
