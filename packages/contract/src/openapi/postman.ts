/*
 * The document as a collection of Postman, format 2.1.0: one request per operation, in folders by tag, with
 * the examples of the document.
 */

/** The parts of the OpenAPI document that a collection is made of. */
interface Document {
  readonly info: { readonly title: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: object;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly example?: string;
}

interface Content {
  readonly content?: {
    readonly 'application/json': {
      readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
    };
  };
}

interface Operation {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content & { readonly description?: string }>>;
}

interface PathItem {
  readonly parameters?: readonly Parameter[];
}

/** A route, as one request needs it. */
interface Route {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
  readonly parameters: readonly Parameter[];
}

/** What an answer has at its top, and later requests take from there. */
const TAKEN = ['apiKeyId', 'keyPrefix', 'plaintextKey', 'customerId', 'decisionId'];
/** What the user of the collection sets. */
const SET = { runtimeUrl: 'http://127.0.0.1:4000', projectId: '', projectSecret: '' };

const CALLER_KEY = 'x-api-key';
/** How examples write a key, of which they show only the beginning. */
const CUT_KEY = 'ceiba_…';

const variable = (name: string) => `{{${name}}}`;
const script = (...exec: string[]) => ({
  listen: 'test',
  script: { type: 'text/javascript', exec },
});

/**
 * The collection of a document. A key, a customer or a decision that a request answers with is the one of
 * the requests after it, so that they can be sent from the first to the last.
 *
 * @see https://schema.postman.com/collection/json/v2.1.0/draft-07/docs/index.html
 */
export function postmanCollection({ info, tags, paths }: Document): object {
  const routes = routesOf(paths);
  return {
    info: {
      name: info.title,
      description: `${info.description} Set the variables runtimeUrl, projectId and projectSecret.`,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: {
      type: 'apikey',
      apikey: [
        { key: 'key', value: 'x-service-project-secret', type: 'string' },
        { key: 'value', value: variable('projectSecret'), type: 'string' },
        { key: 'in', value: 'header', type: 'string' },
      ],
    },
    variable: [
      ...Object.entries(SET).map(([key, value]) => ({ key, value, type: 'string' })),
      ...TAKEN.map((key) => ({ key, value: '', type: 'string' })),
    ],
    event: [
      script(
        `const isJson = /json/.test(pm.response.headers.get('content-type') ?? '');`,
        `const answer = isJson && pm.response.text() !== '' ? pm.response.json() : {};`,
        `for (const name of ${JSON.stringify(TAKEN)}) {`,
        `  if (typeof answer[name] === 'string') pm.collectionVariables.set(name, answer[name]);`,
        '}',
      ),
    ],
    item: tags.map(({ name, description }) => ({
      name,
      description,
      item: routes.filter(({ operation }) => operation.tags.includes(name)).map(itemOf),
    })),
  };
}

function routesOf(paths: object): Route[] {
  return Object.entries(paths).flatMap(
    ([path, { parameters: shared = [], ...operations }]: [string, PathItem]) =>
      Object.entries<Operation>(operations).map(([method, operation]) => ({
        path,
        method: method.toUpperCase(),
        operation,
        parameters: [...shared, ...(operation.parameters ?? [])],
      })),
  );
}

function itemOf(route: Route): object {
  const { operation } = route;
  const documented = Object.keys(operation.responses).map(Number);
  return {
    name: operation.summary,
    event: [
      script(
        `pm.test('the answer is documented', () => pm.expect(pm.response.code).to.be.oneOf(${JSON.stringify(documented)}));`,
      ),
    ],
    request: requestOf(route),
    response: Object.entries(operation.responses).flatMap(([status, { description, content }]) =>
      Object.values(content?.['application/json'].examples ?? {}).map(({ value }) => ({
        name: description,
        code: Number(status),
        header: [{ key: 'Content-Type', value: 'application/json' }],
        body: JSON.stringify(value, null, 2),
      })),
    ),
  };
}

function requestOf({ path, method, operation, parameters }: Route): object {
  const [body] = Object.values(operation.requestBody?.content?.['application/json'].examples ?? {});
  const segments = path.slice(1).replaceAll(/\{(\w+)\}/g, '{{$1}}');
  return {
    method,
    description: operation.description,
    ...(operation.security?.length === 0 && { auth: { type: 'noauth' } }),
    header: [
      ...parameters.filter((one) => one.in === 'header').map(entryOf),
      ...(takesCallerKey(operation) ? [{ key: CALLER_KEY, value: variable('plaintextKey') }] : []),
    ],
    url: {
      raw: `{{runtimeUrl}}/${segments}`,
      host: ['{{runtimeUrl}}'],
      path: segments.split('/'),
      query: parameters.filter((one) => one.in === 'query').map(entryOf),
    },
    ...(body && {
      body: {
        mode: 'raw',
        raw: bodyOf(body.value),
        options: { raw: { language: 'json' } },
      },
    }),
  };
}

/** An optional parameter is sent if the document has an example of it; the user may turn on the others. */
const entryOf = ({ name, description, example = '' }: Parameter) => ({
  key: name,
  value: example,
  description,
  disabled: example === '',
});

/** Whether a route is asked by a gateway, with the key of its own caller. */
const takesCallerKey = ({ security = [] }: Operation) => security.some((one) => 'callerKey' in one);

/** An example as text, with variables for what earlier answers had. */
function bodyOf(example: unknown): string {
  const own = TAKEN.filter((name) => Object.hasOwn(Object(example), name));
  const fields = Object.fromEntries(own.map((name) => [name, variable(name)]));
  const body = own.length === 0 ? example : { ...Object(example), ...fields };
  return JSON.stringify(body, null, 2).replaceAll(CUT_KEY, variable('plaintextKey'));
}
