import GithubSlugger from 'github-slugger';

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace'];

/** By the titles of their documents. */
const PAGES = {
  'Ceiba Runtime': { title: 'API reference', server: 'Runtime', address: '/openapi.json' },
  'Ceiba Management': {
    title: 'Management API',
    server: 'console',
    address: '/api/manage/openapi.json',
  },
};

/**
 * The API reference, as Markdown: each operation of an OpenAPI document with its parameters, answers
 * and a call to paste, then the schemas. `render-guides.mjs` makes the page of it.
 *
 * @param {any} document `openapi.json` of `packages/contract` or `packages/manage`
 * @returns {string}
 */
export function referenceMarkdown(document) {
  const { title, server, address } = PAGES[document.info.title];
  const operations = operationsOf(document);
  const { schemas, responses, securitySchemes } = document.components;
  const linkTo = linksTo(['Credentials', ...operations.map(titleOf), 'Schemas'], schemas);
  return [
    `# ${title}`,
    `${document.info.description} The ${server} serves this description as OpenAPI ${document.openapi}, for generators of clients, at ${code(address)}.`,
    '## Credentials',
    table(
      ['Header', 'Contents'],
      Object.values(securitySchemes).map((scheme) => [
        scheme.type === 'http' ? '`Authorization: Bearer`' : code(scheme.name),
        scheme.description,
      ]),
    ),
    ...operations.flatMap((operation) => sectionOf(operation, responses, linkTo)),
    '## Schemas',
    ...Object.entries(schemas).flatMap(([name, schema]) => [
      `### ${name}`,
      ...describe(schema, linkTo),
    ]),
  ].join('\n\n');
}

/**
 * The operations in the order of the tags. Those of a path that differ in the method alone are one,
 * and so are GET and HEAD, whose answers differ in the body alone (RFC 9110, section 9.3.2).
 */
function operationsOf({ tags, paths, security }) {
  const operations = [];
  for (const [path, item] of Object.entries(paths)) {
    for (const method of METHODS.filter((each) => item[each] !== undefined)) {
      const { operationId: _, summary, parameters = [], ...rest } = item[method];
      const operation = {
        ...rest,
        path,
        parameters: [...(item.parameters ?? []), ...parameters],
        security: rest.security ?? security,
      };
      const shape = JSON.stringify(operation);
      const same = operations.find((each) =>
        method === 'head' && item.get ? each.path === path : each.shape === shape,
      );
      if (same) same.methods.push(method.toUpperCase());
      else {
        const methods = [method.toUpperCase()];
        operations.push({ ...operation, summary, methods, shape });
      }
    }
  }
  return tags.flatMap(({ name }) => operations.filter(({ tags: [tag] }) => tag === name));
}

/** Its summary, without the method where there are several. */
const titleOf = ({ summary, methods }) =>
  methods.length === 1 ? summary : summary.replace(`, with ${methods[0]}`, '');

/** Links to the schemas: their headings follow these, and equal titles are numbered. */
function linksTo(titles, schemas) {
  const slugger = new GithubSlugger();
  for (const title of titles) slugger.slug(title);
  const anchors = new Map(Object.keys(schemas).map((name) => [name, slugger.slug(name)]));
  return ({ $ref }) => {
    const name = $ref.split('/').at(-1);
    if (!anchors.has(name)) throw new Error(`the document has no schema ${name}`);
    return `[${name}](#${anchors.get(name)})`;
  };
}

function sectionOf(operation, sharedResponses, linkTo) {
  const { path, methods, description, parameters, requestBody, responses } = operation;
  const { 'application/json': body, 'application/yaml': file } = requestBody?.content ?? {};
  const answers = Object.entries(responses).map(([status, response]) => [
    status,
    response.$ref ? sharedResponses[response.$ref.split('/').at(-1)] : response,
  ]);
  return [
    `## ${titleOf(operation)}`,
    fenced('http', methods.map((method) => `${method} ${path}`).join('\n')),
    description ?? '',
    parameters.length > 0 &&
      table(
        ['Parameter', 'In', 'Type', 'Meaning'],
        parameters.map(({ name, in: place, required, schema, description: meaning }) => [
          code(name),
          required ? `${place}, required` : place,
          typeOf(schema, linkTo),
          meaning,
        ]),
      ),
    body && `The body is ${anOf(body.schema, linkTo)}.`,
    file && `The body is the file: ${file.schema.description}`,
    fenced('sh', curlOf(operation, body, file)),
    table(
      ['Status', 'When', 'Body'],
      answers.map(([status, { description: when, content }]) => [
        status,
        when,
        content === undefined
          ? ''
          : Object.values(content)
              .map(({ schema }) => typeOf(schema, linkTo))
              .join(', '),
      ]),
    ),
    headersOf(answers),
    ...answers
      .filter(([status]) => status === '200')
      .flatMap(([, { content = {} }]) => examplesOf(Object.values(content)[0])),
  ].filter(Boolean);
}

const anOf = (schema, linkTo) =>
  schema.$ref ? `an object of type ${linkTo(schema)}` : typeOf(schema, linkTo);

/** The headers of the answers, each with its statuses, except for the id that every answer has. */
function headersOf(answers) {
  const rows = new Map();
  for (const [status, { headers = {} }] of answers) {
    for (const [name, { description }] of Object.entries(headers)) {
      if (name === 'x-request-id') continue;
      const row = rows.get(name) ?? [code(name), [], description];
      row[1].push(status);
      rows.set(name, row);
    }
  }
  if (rows.size === 0) return '';
  const cells = [...rows.values()].map(([name, statuses, meaning]) => [
    name,
    statuses.join(', '),
    meaning,
  ]);
  return table(['Header', 'Status', 'Meaning'], cells);
}

/** @returns {string[]} The example answers, each below its name if there are several. */
function examplesOf({ examples = {} } = {}) {
  const entries = Object.entries(examples);
  return entries.flatMap(([name, { value }]) => [
    entries.length > 1 ? `A 200, ${name}:` : 'A 200:',
    fenced('json', JSON.stringify(value, null, 2)),
  ]);
}

/** A command that works in a shell that has the three settings of a host. */
function curlOf({ path, methods, security }, body, file) {
  const address = path
    .replace('{projectId}', '$CEIBA_PROJECT_ID')
    .replace(/\{(\w+)\}/, (_, name) => `$${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`);
  const [method] = methods;
  const options = method === 'GET' || (method === 'POST' && (body || file)) ? '' : ` -X ${method}`;
  const isManaged = security.some((each) => 'accessToken' in each);
  const server = isManaged ? '$CEIBA_SERVER' : '$CEIBA_RUNTIME_URL';
  const lines = [`curl -i${options} "${server}${address}"`];
  if (isManaged) lines.push('-H "Authorization: Bearer $CEIBA_TOKEN"');
  if (file) lines.push('--data-binary @ceiba.yaml');
  if (security.some((each) => 'projectSecret' in each)) {
    lines.push('-H "x-service-project-secret: $CEIBA_PROJECT_SECRET"');
  }
  if (security.some((each) => 'callerBearer' in each)) {
    lines.push('-H "Authorization: Bearer $API_KEY"');
    lines.push(`-H "X-Original-Method: ${method}" -H "X-Original-URI: /v1/reports"`);
  }
  if (body) {
    const [{ value } = { value: {} }] = Object.values(body.examples ?? {});
    lines.push("-H 'content-type: application/json'", `-d '${JSON.stringify(value)}'`);
  }
  return lines.join(' \\\n  ');
}

/** What a schema of the list of schemas says: its description, then its fields or variants. */
function describe(schema, linkTo) {
  const lines = [schema.description ?? ''];
  const rows = fieldsOf(schema, linkTo);
  const variants = schema.oneOf ?? schema.anyOf;
  if (rows.length > 0) lines.push(table(['Field', 'Type', 'Meaning'], rows));
  else if (variants) lines.push(`One of ${listOf(variants, linkTo)}.`);
  return lines.filter(Boolean);
}

/** A row per field. An object inside it is a schema of its own, to which the row links. */
const fieldsOf = (schema, linkTo) =>
  Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const optional = schema.required?.includes(name) ? '' : ', optional';
    return [code(name), `${typeOf(property, linkTo)}${optional}`, property.description];
  });

/** @returns {string} */
function typeOf(schema, linkTo) {
  if (schema.$ref) return linkTo(schema);
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return listOf(variants, linkTo);
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum) return schema.enum.map((value) => code(value)).join(', ');
  if (schema.type === 'array') return `list of ${typeOf(schema.items, linkTo)}${sizeOf(schema)}`;
  if (schema.type === undefined) return 'anything';
  const type = [schema.type].flat().join(' or ');
  const format = schema.format ? ` (${schema.format})` : '';
  return `${type}${format}${schema.minimum > 0 ? `, from ${schema.minimum}` : ''}${sizeOf(schema)}`;
}

const listOf = (schemas, linkTo) => schemas.map((each) => typeOf(each, linkTo)).join(' or ');

function sizeOf({ minItems, maxItems, minLength, maxLength, type }) {
  const [least = 0, most] = type === 'array' ? [minItems, maxItems] : [minLength, maxLength];
  const unit = type === 'array' ? 'entries' : 'characters';
  if (most === undefined && least <= 1) return least === 1 ? ', not empty' : '';
  if (most === undefined) return `, at least ${least} ${unit}`;
  return least > 0 ? `, ${least} to ${most} ${unit}` : `, at most ${most} ${unit}`;
}

const code = (text) => `\`${text}\``;
const fenced = (language, text) => `\`\`\`${language}\n${text}\n\`\`\``;

/** A column without contents is left out. */
function table(titles, allRows) {
  const isShown = (_, column) => allRows.some((row) => (row[column] ?? '') !== '');
  const [names, ...rows] = [titles, ...allRows].map((row) => row.filter(isShown));
  const cell = (text = '') => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');
  const line = (cells) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(names), line(names.map(() => '---')), ...rows.map(line)].join('\n');
}
