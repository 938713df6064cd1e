/**
 * Writes src/generated/wire.ts from the OpenAPI document of the Runtime: the types of its answers, and
 * a parser of each.
 *
 *     node generate.mjs           writes the file
 *     node generate.mjs --check   exits with 1 if the file is not that of the document
 */
import { readFileSync, writeFileSync } from 'node:fs';

const at = (path) => new URL(path, import.meta.url);
const OUTPUT = at('src/generated/wire.ts');
const { schemas } = JSON.parse(readFileSync(at('../contract/openapi.json'), 'utf8')).components;

/** What the client reads; what these refer to comes along. */
const ROOTS = [
  'ApiKeySummary',
  'ApiKeyListResult',
  'ApiKeyCreateResult',
  'ApiKeyLifecycleResult',
  'ApiKeyRotateResult',
  'ApiKeysCreateResult',
  'ApiKeysImportResult',
  'Decision',
  'Customer',
  'CustomerListResult',
  'UsageResult',
  'CustomerUsageResult',
];

/** What the client sends: only its types. */
const INPUTS = [
  'CreateApiKeyRequest',
  'UpdateApiKeyRequest',
  'RotateApiKeyRequest',
  'ImportedApiKey',
  'CreateCustomerRequest',
  'UpdateCustomerRequest',
];

/**
 * Where the client accepts more than the Runtime promises: a newer one may deny for another reason,
 * and an incomplete denial is a denial.
 */
const TOLERATED = {
  'DenyDecision.denialReason': { type: 'DenialReason | (string & {})', reader: 'text' },
  'Customer.name': { type: 'string', reader: 'anyText' },
  'DenyDecision.decisionId': { type: 'string | null', reader: '(id) => text(id) ?? null' },
};
/** Fields without which an answer is valid, also where they are malformed. */
const DISPENSABLE = [
  'AllowDecision.resetAfterSeconds',
  'DenyDecision.limits',
  'DenyDecision.retryAfterSeconds',
  'DenyDecision.exceededLimit',
];

const HEAD = `/** What the Runtime answers. Written by generate.mjs from its OpenAPI document. */

import type { DenialReason } from '@ceiba/contract/sets';
import { anyText, count, either, fieldsOf, list, nullable, oneOf, type Read, shape, text } from '../json.ts';

/*
 * Answers are read field by field, because a value that only resembles an allow must not become one
 * (docs/reference/consistency.md: fail closed). Unknown fields are ignored and dropped. A parser returns
 * undefined for a body of another shape.
 */`;

const nameOf = ({ $ref }) => $ref?.split('/').at(-1);
const variantsOf = ({ anyOf, oneOf, type, ...rest }) =>
  anyOf ?? oneOf ?? (Array.isArray(type) ? type.map((one) => ({ ...rest, type: one })) : undefined);
const literal = (value) => (typeof value === 'string' ? `'${value}'` : String(value));
const literalsOf = (schema) => ('const' in schema ? [schema.const] : schema.enum)?.map(literal);

/** The shapes that one consists of, and itself, each once. */
function withParts(name, found = new Set()) {
  if (found.has(name)) return found;
  for (const [, part] of JSON.stringify(schemas[name]).matchAll(
    /"#\/components\/schemas\/(\w+)"/g,
  )) {
    withParts(part, found);
  }
  return found.add(name);
}

function typeOf(schema) {
  const variants = variantsOf(schema);
  if (variants) return variants.map(typeOf).join(' | ');
  if (schema.type === 'array') {
    const item = typeOf(schema.items);
    return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
  }
  const types = {
    string: 'string',
    integer: 'number',
    boolean: 'boolean',
    null: 'null',
    object: 'Record<string, unknown>',
  };
  return nameOf(schema) ?? literalsOf(schema)?.join(' | ') ?? types[schema.type];
}

/** The reader of a value, which is an expression. */
function readerOf(schema) {
  const variants = variantsOf(schema);
  if (variants) {
    const [some, nothing] = variants;
    if (variants.every(nameOf)) return `either(${variants.map(readerOf).join(', ')})`;
    if (nothing?.type !== 'null') throw new Error(`no reader for ${JSON.stringify(schema)}`);
    return `nullable(${readerOf(some)})`;
  }
  if (schema.type === 'array') return `list(${readerOf(schema.items)})`;
  const literals = literalsOf(schema);
  if (literals) return `oneOf(${literals.join(', ')})`;
  const name = nameOf(schema);
  const readers = { string: 'text', integer: 'count', object: 'fieldsOf' };
  const reader = name ? `parse${name}` : readers[schema.type];
  if (reader === undefined) throw new Error(`no reader for ${JSON.stringify(schema)}`);
  return reader;
}

function fieldsOf(shape) {
  const { properties, required = [] } = schemas[shape];
  return Object.entries(properties).map(([name, schema]) => {
    const path = `${shape}.${name}`;
    const isDispensable = DISPENSABLE.includes(path);
    return {
      name,
      description: schema.description,
      isDispensable,
      isRequired: required.includes(name) && !isDispensable,
      type: TOLERATED[path]?.type ?? typeOf(schema),
      reader: () => TOLERATED[path]?.reader ?? readerOf(schema),
    };
  });
}

/**
 * Each variant names the fields of the others, because TypeScript does not narrow by
 * `!decision.allowed` where `strict` is off.
 */
function fieldsOfOthers(shape) {
  const siblings = Object.values(schemas)
    .map(({ oneOf = [] }) => oneOf.map(nameOf))
    .filter((names) => names.includes(shape))
    .flat();
  const names = siblings.flatMap((name) => Object.keys(schemas[name].properties));
  return [...new Set(names)].filter((name) => !(name in schemas[shape].properties));
}

const comment = (text, indent = '') => (text ? [`${indent}/** ${text} */`] : []);

function typeModule(shape) {
  return [
    ...comment(schemas[shape].description),
    `export interface ${shape} {`,
    ...fieldsOf(shape).flatMap(({ name, description, isRequired, type }) => [
      ...comment(description, '  '),
      `  readonly ${name}${isRequired ? '' : '?'}: ${type}${isRequired ? '' : ' | undefined'};`,
    ]),
    ...fieldsOfOthers(shape).map((name) => `  readonly ${name}?: undefined;`),
    '}',
  ];
}

function objectModule(shape) {
  const fields = fieldsOf(shape);
  const readers = (wanted) => {
    const pairs = fields.filter(wanted).map(({ name, reader }) => `${name}: ${reader()}`);
    return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
  };
  const lists = [
    readers(({ isRequired }) => isRequired),
    readers(({ isRequired, isDispensable }) => !isRequired && !isDispensable),
    readers(({ isDispensable }) => isDispensable),
  ];
  while (lists.at(-1) === '{}') lists.pop();
  return [
    ...typeModule(shape),
    '',
    `${exported(shape)}const parse${shape}: Read<${shape}> = shape(`,
    ...lists.map((readers) => `  ${readers},`),
    ');',
  ];
}

function unionModule(shape) {
  const names = schemas[shape].oneOf.map(nameOf);
  return [
    ...comment(schemas[shape].description),
    `export type ${shape} = ${names.join(' | ')};`,
    '',
    `${exported(shape)}const parse${shape}: Read<${shape}> = (body) =>`,
    `  ${names.map((name) => `parse${name}(body)`).join(' ?? ')};`,
  ];
}

const exported = (shape) => (ROOTS.includes(shape) ? 'export ' : '');

const shapes = new Set(ROOTS.flatMap((name) => [...withParts(name)]));
const parts = [...shapes].map((shape) =>
  (schemas[shape].oneOf ? unionModule(shape) : objectModule(shape)).join('\n'),
);
const inputs = INPUTS.map((shape) => typeModule(shape).join('\n'));
const generated = `${[HEAD, ...parts, ...inputs].join('\n\n')}\n`;

if (!process.argv.includes('--check')) {
  writeFileSync(OUTPUT, generated);
} else if (readFileSync(OUTPUT, 'utf8') !== generated) {
  console.error('src/generated/wire.ts is not that of the document: run node generate.mjs');
  process.exitCode = 1;
}
